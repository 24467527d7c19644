package session

import (
	"context"
	"errors"
	"slices"
	"time"

	"heretic/runner"
	"heretic/session/gitguard"
	"heretic/session/internal/store"
)

// helperTime is more than a helper container is ever needed for.
const helperTime = 10 * time.Minute

// Repaired is what [Repair] mended.
type Repaired struct {
	Placeholders []string `json:"placeholders,omitempty"` // removed, below the project
	Containers   []string `json:"containers,omitempty"`   // removed: created, never started

	// Git is what an agent did to the project's repository that gives it power
	// over the host. It is reported once, and not undone.
	Git []gitguard.Finding `json:"git,omitempty"`
}

// Repair mends what a launch that was killed left in a project: placeholders
// that no live container uses, and containers that were never started. Each
// command that looks at a project calls it.
func Repair(ctx context.Context, eng Engine, project string) (Repaired, error) {
	st, err := store.OpenExisting(project)
	if st == nil || err != nil {
		return Repaired{}, err
	}
	defer st.Close()
	lock, err := st.LockProject(ctx)
	if err != nil {
		return Repaired{}, err
	}
	defer lock.Unlock()
	containers, err := eng.List(ctx, projectLabels(project), true)
	if err != nil {
		return Repaired{}, err
	}
	return repair(ctx, eng, st, project, containers)
}

// repair is Repair under the project's lock.
func repair(ctx context.Context, eng Engine, st *store.Store, project string, containers []runner.Container) (Repaired, error) {
	var done Repaired
	var errs []error
	dead, err := neverStarted(st, containers)
	if err != nil {
		return done, err
	}
	for _, c := range dead {
		if err := ignoreNotFound(eng.Remove(ctx, c.ID)); err != nil {
			errs = append(errs, err)
			continue
		}
		done.Containers = append(done.Containers, c.Name)
		if c.Labels[LabelHelper] != "" {
			_, err := eng.RemoveVolumes(ctx, projectLabels(project))
			errs = append(errs, err)
		}
	}
	done.Placeholders, err = dropPlaceholders(st, containers)
	errs = append(errs, err)
	done.Git, err = checkGit(st, project, containers)
	return done, errors.Join(append(errs, err)...)
}

// neverStarted returns the containers that are left of launches which did not
// come to their start.
func neverStarted(st *store.Store, containers []runner.Container) ([]runner.Container, error) {
	var found []runner.Container
	for _, c := range containers {
		if c.State == "created" && !freshHelper(c) {
			found = append(found, c)
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	starting, err := st.Starting()
	return slices.DeleteFunc(found, func(c runner.Container) bool { return starting[c.Labels[LabelSession]] }), err
}

// freshHelper tells whether some heretic may still work with a helper.
func freshHelper(c runner.Container) bool {
	return c.Labels[LabelHelper] != "" && time.Since(c.Created) < helperTime
}

// dropPlaceholders removes those that no container uses.
func dropPlaceholders(st *store.Store, containers []runner.Container) ([]string, error) {
	return idlePlaceholders(st, containers, st.DropPlaceholders)
}

// idlePlaceholders gives handle those that no container uses to choose from.
// While some session is being started they all stay: it may be about to use any
// of them, and looks at them again when it ends.
func idlePlaceholders(st *store.Store, containers []runner.Container, handle func(keep func(Placeholder) bool) ([]string, error)) ([]string, error) {
	if known, err := st.Placeholders(); len(known) == 0 {
		return nil, err
	}
	starting, err := st.Starting()
	if err != nil || len(starting) > 0 {
		return nil, err
	}
	return handle(func(p Placeholder) bool {
		return slices.ContainsFunc(containers, func(c runner.Container) bool {
			return busy(c) && usesPlaceholder(c.Labels[LabelPlaceholders], p.Path)
		})
	})
}
