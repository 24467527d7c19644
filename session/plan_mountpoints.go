package session

import (
	"path"
	"slices"
	"strings"

	"heretic/profile"
)

// mountPoints makes the places in the project where the profile's own volumes
// land: the engine would make them, as root, and leave them there.
func (b *planner) mountPoints() {
	for _, at := range b.places {
		for _, v := range b.Profile.Volumes {
			b.mountPoint(at, v.Target, v.File)
		}
		b.mountPoint(at, path.Clean(b.Profile.Workdir), false) // the engine makes it, too
		for target := range b.p.Spec.Tmpfs {
			b.mountPoint(at, path.Clean(target), false)
		}
	}
	slices.SortFunc(b.p.Placeholders, func(x, y Placeholder) int { return strings.Compare(x.Path, y.Path) })
}

// mountPoint adds one, and the folders above it, where the target is in the
// project, and not in another volume.
func (b *planner) mountPoint(at, target string, file bool) {
	rel, ok := strings.CutPrefix(target, at+"/")
	if !ok || rel == ".heretic" || strings.HasPrefix(rel, ".heretic/") || b.covers(at, target) {
		return
	}
	parts := strings.Split(rel, "/")
	for i := range parts {
		p := Placeholder{Path: strings.Join(parts[:i+1], "/"), Dir: i < len(parts)-1 || !file}
		if !slices.ContainsFunc(b.p.Placeholders, func(q Placeholder) bool { return q.Path == p.Path }) {
			b.p.Placeholders = append(b.p.Placeholders, p)
		}
	}
}

// covers tells whether a mount between the two holds the target.
func (b *planner) covers(at, target string) bool {
	inside := func(outer string) bool {
		return strings.HasPrefix(outer, at+"/") && strings.HasPrefix(target, outer+"/")
	}
	return slices.ContainsFunc(b.Profile.Volumes, func(v profile.Volume) bool { return inside(v.Target) })
}
