package session

import "context"

// Ended tidies up after a session whose agent ended while a terminal was
// attached to it again: the container goes, unless its launch asked to keep
// it, and what only it used in the project.
func Ended(ctx context.Context, eng Engine, s Session) (Repaired, error) {
	if s.Container.Labels[LabelKeep] != "true" {
		if err := ignoreNotFound(eng.Remove(ctx, s.Container.ID)); err != nil {
			return Repaired{}, err
		}
	}
	return Repair(ctx, eng, s.Project)
}
