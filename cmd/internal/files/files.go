// Package files writes the user's own files: atomically, with the mode they
// had, and below a project never outside of it.
package files

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Write replaces the file at path, or makes it with mode. A symbolic link is
// followed, so that the links of a dotfile manager stay. Missing directories
// are made, for the user alone.
func Write(path string, data []byte, mode fs.FileMode) error {
	real, err := follow(path)
	if err != nil {
		return err
	}
	dir := filepath.Dir(real)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return replace(root, filepath.Base(real), data, mode)
}

// follow resolves path as far as it exists.
func follow(path string) (string, error) {
	for range 40 {
		target, err := os.Readlink(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return path, nil
		case err != nil: // not a link
			return path, nil
		case filepath.IsAbs(target):
			path = target
		default:
			path = filepath.Join(filepath.Dir(path), target)
		}
	}
	return "", fmt.Errorf("%s: too many levels of symbolic links", path)
}

// WriteBelow replaces or makes the file with that name below a project. What
// leads out of the project is an error, and so is a file that is a link.
func WriteBelow(project, name string, data []byte, mode fs.FileMode) error {
	root, err := os.OpenRoot(project)
	if err != nil {
		return err
	}
	defer root.Close()
	dir := filepath.Dir(name)
	if err := root.MkdirAll(dir, 0o755); err != nil {
		return outside(project, dir, err)
	}
	sub, err := root.OpenRoot(dir)
	if err != nil {
		return outside(project, dir, err)
	}
	defer sub.Close()
	return replace(sub, filepath.Base(name), data, mode)
}

// RemoveBelow removes a file below a project.
func RemoveBelow(project, name string) error {
	root, err := os.OpenRoot(project)
	if err != nil {
		return err
	}
	defer root.Close()
	return root.Remove(name)
}

// outside explains the refusal of os.Root.
func outside(project, name string, err error) error {
	if strings.Contains(err.Error(), "escapes") {
		return fmt.Errorf("%s is a symbolic link out of the project; nothing was written", filepath.Join(project, name))
	}
	return err
}

func replace(dir *os.Root, name string, data []byte, mode fs.FileMode) (err error) {
	switch info, err := dir.Lstat(name); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file; nothing was written", filepath.Join(dir.Name(), name))
	default:
		mode = info.Mode().Perm()
	}
	temp := "." + name + "." + rand.Text()[:8] + ".tmp"
	file, err := dir.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, dir.Remove(temp))
		}
	}()
	_, err = file.Write(data)
	err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close())
	if err != nil {
		return err
	}
	return dir.Rename(temp, name)
}
