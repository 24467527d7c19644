// Package gitguard knows what of a git repository gives power over the host
// to whoever may write it: where the repository of a project lies, which
// configuration makes git run programs, and what of that has changed.
package gitguard

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"heretic/session/internal/regular"
)

const (
	maxFile  = 4 << 20 // is read of a repository's files
	maxRepos = 100     // submodules are looked at
)

// Layout is where the repository of a project lies.
type Layout struct {
	// Dir is the repository's directory: <project>/.git, or for a linked
	// worktree the common one. Empty: no repository that can be used.
	Dir string
	// Own is the worktree's own directory below Dir/worktrees; only for a
	// linked worktree.
	Own string
	// Others are the further entries there, of worktrees on this host.
	Others []string
	// Submodules are the .git of checked out submodules, below the project.
	Submodules []string
	// Hooks are the existing hooks folders: of Dir and of its submodules.
	Hooks []string
	// Problem says why a .git that is there cannot be used in a container.
	Problem string

	modules modules
	unread  []error // of indexes, that may have submodules
}

// Linked tells whether the project is a linked worktree.
func (l Layout) Linked() bool { return l.Own != "" }

// Inspect finds the repository of a project, whose path is a real one. A
// linked worktree is believed only if its repository links back to it.
func Inspect(project string) (Layout, error) {
	dot := filepath.Join(project, ".git")
	fi, err := os.Lstat(dot)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Layout{}, nil
	case err != nil:
		return Layout{}, err
	case fi.IsDir():
		l := Layout{Dir: dot, Others: worktrees(dot, "")}
		l.submodules(project)
		return l, nil
	case !fi.Mode().IsRegular():
		return Layout{Problem: "it is neither a folder nor a file"}, nil
	}
	own, ok := pointer(dot, "gitdir:")
	if !ok {
		return Layout{Problem: "it does not say where its repository is"}, nil
	}
	back, ok1 := pointer(filepath.Join(own, "gitdir"), "")
	common, ok2 := pointer(filepath.Join(own, "commondir"), "")
	if !ok1 || !ok2 {
		return Layout{Problem: "its repository is elsewhere, and not one of a linked worktree"}, nil
	}
	if back != dot || filepath.Dir(own) != filepath.Join(common, "worktrees") || !isRepository(common) {
		return Layout{Problem: "the repository it names does not know this worktree"}, nil
	}
	l := Layout{Dir: common, Own: own, Others: worktrees(common, own)}
	l.submodules(project)
	return l, nil
}

// worktrees returns the entries of a repository's other worktrees that are on
// this host. What an agent made in a container names a path of the container.
func worktrees(dir, own string) (others []string) {
	found, err := os.ReadDir(filepath.Join(dir, "worktrees"))
	if err != nil {
		return nil
	}
	for _, e := range found {
		entry := filepath.Join(dir, "worktrees", e.Name())
		if _, ok := pointer(filepath.Join(entry, "gitdir"), ""); ok && e.IsDir() && entry != own {
			others = append(others, entry)
		}
	}
	return others
}

// submodules finds the .git of those that are checked out, and all hooks.
func (l *Layout) submodules(project string) {
	l.modules.find(l.Dir)
	if l.Linked() {
		l.modules.find(l.Own) // git keeps those of a worktree apart
	}
	l.checkedOut(project, *l, new(int64(maxIndex)))
	for _, repo := range l.repositories() {
		h := filepath.Join(repo, "hooks")
		if fi, err := os.Lstat(h); err == nil && fi.IsDir() {
			l.Hooks = append(l.Hooks, h)
		}
	}
}

// checkedOut adds the submodules of a work tree, and theirs.
func (l *Layout) checkedOut(tree string, repo Layout, limit *int64) {
	err := repo.gitlinks(limit, func(path string) bool {
		dot := filepath.Join(tree, path, ".git")
		fi, err := os.Lstat(dot)
		if err != nil || !inside(tree, dot) {
			return true
		}
		if len(l.Submodules) == maxRepos {
			return false
		}
		l.Submodules = append(l.Submodules, dot)
		dir, ok := dot, fi.IsDir() // a folder: as git made them once
		if !ok {
			dir, ok = pointer(dot, "gitdir:")
		}
		if ok {
			l.checkedOut(filepath.Dir(dot), Layout{Dir: dir}, limit)
		}
		return true
	})
	if err != nil {
		l.unread = append(l.unread, err)
	}
}

// inside tells whether no link leads from the project to a file's folder.
func inside(project, file string) bool {
	real, err := filepath.EvalSymlinks(filepath.Dir(file))
	return err == nil && real == filepath.Dir(file) && strings.HasPrefix(real, project)
}

// index is where git keeps the index of the worktree.
func (l Layout) index() string {
	if l.Linked() {
		return filepath.Join(l.Own, "index")
	}
	return filepath.Join(l.Dir, "index")
}

// repositories are the folders whose configuration git on the host obeys.
func (l Layout) repositories() []string {
	repos := append([]string{l.Dir}, l.modules.repos...)
	for _, dot := range l.Submodules {
		if fi, err := os.Lstat(dot); err == nil && fi.IsDir() {
			repos = append(repos, dot)
		}
	}
	return repos
}

// pointer reads the path that a file of git's holds, relative to the file, and
// resolves it. The last component of a path may be missing.
func pointer(file, prefix string) (string, bool) {
	data, err := readFile(file)
	if err != nil {
		return "", false
	}
	line, _, _ := strings.Cut(string(data), "\n")
	to, ok := strings.CutPrefix(line, prefix)
	if to = strings.TrimSpace(to); !ok || to == "" {
		return "", false
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(file), to)
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(to))
	if err != nil {
		return "", false
	}
	real := filepath.Join(dir, filepath.Base(to))
	if fi, err := os.Lstat(real); err != nil || fi.Mode()&fs.ModeSymlink != 0 {
		return "", false
	}
	return real, true
}

func isRepository(dir string) bool {
	for _, name := range []string{"objects", "refs"} {
		if fi, err := os.Stat(filepath.Join(dir, name)); err != nil || !fi.IsDir() {
			return false
		}
	}
	return true
}

// modules are the repositories of submodules, whose names may have slashes.
type modules struct {
	repos []string
	links []string // git follows them
	more  bool     // there are more than are looked at
}

func (m *modules) find(dir string) {
	root := filepath.Join(dir, "modules")
	_ = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case len(m.repos)+len(m.links) >= maxRepos:
			m.more = true
			return fs.SkipAll
		case d.Type()&fs.ModeSymlink != 0:
			m.links = append(m.links, p)
		case !d.IsDir():
		case p != root && mayBeRepository(p):
			m.repos = append(m.repos, p)
			m.find(p)
			return fs.SkipDir
		case strings.Count(strings.TrimPrefix(p, root), string(filepath.Separator)) > 4:
			return fs.SkipDir
		}
		return nil
	})
}

// mayBeRepository tells whether git could take a folder for a repository:
// objects and refs may be elsewhere, where its commondir says.
func mayBeRepository(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, "HEAD"))
	return err == nil || isRepository(dir)
}

// readFile reads a regular file of bounded size.
func readFile(name string) ([]byte, error) { return regular.Read(name, maxFile) }
