package session

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"heretic/runner"
)

// wall takes what gives power over the host out of the agent's reach, wherever
// a volume shows the project: .heretic is read-only and what sessions hold is
// not there; a repository's .git is a mount point, so that it cannot be
// swapped for another, and its hooks are read-only.
func (b *planner) wall() {
	git := b.f.Git
	for _, v := range b.Profile.Volumes {
		rel, err := filepath.Rel(v.Source, b.p.Project)
		if v.Named || err != nil || !filepath.IsLocal(rel) {
			continue
		}
		at := path.Join(v.Target, filepath.ToSlash(rel))
		b.places = append(b.places, at)
		b.hideSessions(at)
		switch {
		case git.Linked():
			b.onto(filepath.Join(b.p.Project, ".git"), path.Join(at, ".git"), true)
		case git.Dir != "":
			b.repository(path.Join(at, ".git"), v.ReadOnly)
		}
	}
	if git.Linked() && len(b.places) > 0 {
		b.linkedWorktree()
	}
	if git.Problem != "" {
		b.note("git will not work in the container: there is a .git, but %s", git.Problem)
	}
}

// hideSessions masks heretic's own files in a project mounted at a place.
func (b *planner) hideSessions(at string) {
	heretic := path.Join(at, ".heretic")
	b.onto(filepath.Join(b.p.Project, ".heretic"), heretic, true)
	b.mount(runner.Mount{Type: runner.Tmpfs, Target: path.Join(heretic, "temp"), ReadOnly: true, TmpfsMode: 0o555})
}

// onto binds a part of a mounted directory onto itself.
func (b *planner) onto(source, target string, readOnly bool) {
	b.mount(runner.Mount{Type: runner.Bind, Source: source, Target: target, ReadOnly: readOnly})
}

// repository mounts a repository's directory. `git worktree prune` in the
// container must not take worktrees away that are not there.
func (b *planner) repository(at string, readOnly bool) {
	git := b.f.Git
	inside := func(p string) string {
		rel, _ := filepath.Rel(git.Dir, p) // it is below Dir
		return path.Join(at, filepath.ToSlash(rel))
	}
	b.onto(git.Dir, at, readOnly)
	for _, w := range git.Others {
		b.onto(w, inside(w), true)
	}
	if !b.Profile.Extra.ProtectHooks {
		return
	}
	hooks := filepath.Join(git.Dir, "hooks")
	found := false
	for _, h := range git.Hooks {
		found = found || h == hooks
		b.onto(h, inside(h), true)
	}
	switch {
	case found:
	case git.Linked():
		b.p.emptyHooks = hooks
		b.onto(hooks, inside(hooks), true)
	default:
		b.onto(hooks, inside(hooks), true)
		b.p.Placeholders = append(b.p.Placeholders, Placeholder{Path: ".git/hooks", Dir: true})
	}
}

// linkedWorktree makes a worktree work whose repository is elsewhere: both are
// mounted at their own paths too, for that is what git has written down.
func (b *planner) linkedWorktree() {
	if !strings.HasPrefix(b.f.Git.Dir, "/") {
		b.note("git will not work in the container: the worktree's repository is at %s", b.f.Git.Dir)
		return
	}
	b.repository(b.f.Git.Dir, false)
	project := b.p.Project
	b.onto(project, project, b.workspaceReadOnly())
	b.places = append(b.places, project)
	b.hideSessions(project)
	b.onto(filepath.Join(project, ".git"), path.Join(project, ".git"), true)
}

func (b *planner) workspaceReadOnly() bool {
	for _, v := range b.Profile.Volumes {
		if !v.Named && v.Source == b.p.Project && !v.ReadOnly {
			return false
		}
	}
	return true
}

const (
	excludeName   = "git-exclude"
	excludeTarget = "/run/heretic/git-exclude"
)

// gitEnvironment configures git in the container without touching a file of
// its own: it accepts a work tree of another owner, and never adds what is
// mounted into it.
func (b *planner) gitEnvironment() {
	var config []string
	for _, at := range b.places {
		config = append(config, "safe.directory", at)
	}
	if b.covered != "" {
		var text strings.Builder
		text.Write(b.f.Excludes)
		if n := len(b.f.Excludes); n > 0 && b.f.Excludes[n-1] != '\n' {
			text.WriteByte('\n')
		}
		fmt.Fprintf(&text, "# mounted by heretic\n/%s\n", b.covered)
		b.p.Files = append(b.p.Files, File{Name: excludeName, Data: []byte(text.String())})
		b.onto(b.sessionFile(excludeName), excludeTarget, true)
		config = append(config, "core.excludesFile", excludeTarget)
		if b.f.Tracked {
			b.note("git tracks %s: `git commit -a` in the container would commit what is mounted over it", b.covered)
		}
	}
	b.gitConfig(config)
}

// gitConfig adds settings, pairs of key and value, after those that the
// profile's environment has already.
func (b *planner) gitConfig(pairs []string) {
	if len(pairs) == 0 {
		return
	}
	const counter = "GIT_CONFIG_COUNT"
	n := 0
	env := b.p.Spec.Env[:0:0]
	for _, e := range b.p.Spec.Env {
		if v, ok := strings.CutPrefix(e, counter+"="); ok {
			if _, err := fmt.Sscan(v, &n); err != nil || n < 0 {
				b.note("the environment's %s is not a number: git settings of heretic are left out", counter)
				return
			}
			continue
		}
		env = append(env, e)
	}
	for i := 0; i < len(pairs); i += 2 {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, pairs[i]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, pairs[i+1]))
		n++
	}
	b.p.Spec.Env = append(env, fmt.Sprintf("%s=%d", counter, n))
}

// hardenedDrop are the engine's default capabilities that an agent, sudo-less,
// and package managers run by root do without.
func hardenedDrop() []string {
	return []string{"AUDIT_WRITE", "FSETID", "MKNOD", "NET_BIND_SERVICE", "NET_RAW", "SETFCAP", "SETPCAP", "SYS_CHROOT"}
}
