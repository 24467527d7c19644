package session

import (
	"path"
	"path/filepath"

	"heretic/runner"
)

// wall takes heretic's own files out of the agent's reach, wherever a volume
// shows them: .heretic is read-only, and what sessions hold is not there.
func (b *planner) wall() {
	for _, v := range b.Profile.Volumes {
		if v.Named {
			continue
		}
		rel, err := filepath.Rel(v.Source, b.p.Project)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		heretic := path.Join(v.Target, filepath.ToSlash(rel), ".heretic")
		b.mount(runner.Mount{Type: runner.Bind, Source: filepath.Join(b.p.Project, ".heretic"), Target: heretic, ReadOnly: true})
		b.mount(runner.Mount{Type: runner.Tmpfs, Target: path.Join(heretic, "temp"), ReadOnly: true, TmpfsMode: 0o555})
	}
}
