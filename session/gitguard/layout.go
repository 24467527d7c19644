// Package gitguard knows what of a git repository gives power over the host
// to whoever may write it: where the repository of a project lies, which
// configuration makes git run programs, and what of that has changed.
package gitguard

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxFile bounds what is read of a repository's files.
const maxFile = 4 << 20

// Layout is where the repository of a project lies.
type Layout struct {
	// Dir is the repository's directory: <project>/.git, or for a linked
	// worktree the common one. Empty: no repository that can be used.
	Dir string
	// Own is the worktree's own directory below Dir/worktrees, and Others are
	// the further entries there; only for a linked worktree.
	Own    string
	Others []string
	// Hooks are the existing hooks folders: of Dir and of its submodules.
	Hooks []string
	// Problem says why a .git that is there cannot be used in a container.
	Problem string
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
		return Layout{Dir: dot, Hooks: hooks(dot)}, nil
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
	l := Layout{Dir: common, Own: own, Hooks: hooks(common)}
	entries, err := os.ReadDir(filepath.Dir(own))
	if err != nil {
		return Layout{}, err
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != filepath.Base(own) {
			l.Others = append(l.Others, filepath.Join(common, "worktrees", e.Name()))
		}
	}
	return l, nil
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

// hooks returns the hooks folders of a repository and of its submodules.
func hooks(dir string) []string {
	var found []string
	for _, repo := range append([]string{dir}, modules(dir)...) {
		h := filepath.Join(repo, "hooks")
		if fi, err := os.Lstat(h); err == nil && fi.IsDir() {
			found = append(found, h)
		}
	}
	return found
}

// modules returns the repositories of submodules; their names may have
// slashes.
func modules(dir string) []string {
	var found []string
	root := filepath.Join(dir, "modules")
	_ = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.IsDir():
			return nil
		case p != root && isRepository(p):
			found = append(found, p)
			found = append(found, modules(p)...)
			return fs.SkipDir
		case strings.Count(strings.TrimPrefix(p, root), string(filepath.Separator)) > 4 || len(found) > 100:
			return fs.SkipDir
		}
		return nil
	})
	return found
}

// readFile reads a regular file of bounded size.
func readFile(name string) ([]byte, error) {
	fi, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("not a regular file")}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b bytes.Buffer
	if _, err := io.Copy(&b, io.LimitReader(f, maxFile)); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
