package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Project is the directory heretic works for.
type Project struct {
	Dir string // absolute, symbolic links resolved
	// Named tells that it is not the working directory, so that a command
	// should say which one it took.
	Named bool
}

// ProjectOptions are the facts [FindProject] decides by.
type ProjectOptions struct {
	Dir         string // -C; relative to Cwd
	Cwd         string
	Home        string // of the user
	HereticHome string
	// Existing also takes an ancestor that has sessions, for the commands
	// that look at what runs.
	Existing bool
}

// FindProject returns Dir if it is given, else the nearest directory from Cwd
// upwards with a .heretic/cli folder, else Cwd. The user's home directory, and
// one that contains HereticHome, is refused.
func FindProject(o ProjectOptions) (Project, error) {
	cwd, err := realDir(o.Cwd)
	if err != nil {
		return Project{}, fmt.Errorf("working directory: %w", err)
	}
	reserved := func(dir string) bool {
		return sameDir(dir, o.Home) || contains(dir, o.HereticHome)
	}
	dir := cwd
	switch {
	case o.Dir != "":
		name := o.Dir
		if !filepath.IsAbs(name) {
			name = filepath.Join(o.Cwd, name)
		}
		if dir, err = realDir(name); err != nil {
			return Project{}, fmt.Errorf("project directory: %w", err)
		}
	default:
		if up, ok := ancestor(cwd, "cli", reserved); ok {
			dir = up
		} else if up, ok := ancestor(cwd, "temp", reserved); ok && o.Existing {
			dir = up
		}
	}
	if reserved(dir) {
		return Project{}, withHint("cd to a project, or name one with -C DIR",
			"refusing to use %q as the project: it is the home directory or contains heretic's own files", dir)
	}
	return Project{Dir: dir, Named: dir != cwd}, nil
}

// ancestor finds the nearest directory from dir upwards that holds
// .heretic/name and may be a project.
func ancestor(dir, name string, reserved func(string) bool) (string, bool) {
	for {
		if fi, err := os.Stat(filepath.Join(dir, ".heretic", name)); err == nil && fi.IsDir() && !reserved(dir) {
			return dir, true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", false
		}
		dir = up
	}
}

func realDir(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	abs, err = filepath.EvalSymlinks(abs)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("no such directory: %q", dir)
		}
		return "", err
	}
	fi, err := os.Stat(abs)
	if err != nil {
		return "", err
	}
	if !fi.IsDir() {
		return "", fmt.Errorf("not a directory: %q", dir)
	}
	return abs, nil
}

func sameDir(a, b string) bool {
	if b == "" {
		return false
	}
	fa, errA := os.Stat(a)
	fb, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(fa, fb)
}

// contains tells whether path is dir or lies below it. Where path does not
// exist yet, its nearest existing parent is what counts.
func contains(dir, path string) bool {
	if path == "" {
		return false
	}
	path = filepath.Clean(path)
	for p := path; ; p = filepath.Dir(p) {
		if real, err := filepath.EvalSymlinks(p); err == nil {
			return within(dir, filepath.Join(real, strings.TrimPrefix(path, p)))
		}
		if p == filepath.Dir(p) {
			return false
		}
	}
}

// within tells whether path is dir or lies below it, by name alone.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
