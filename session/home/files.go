package home

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"heretic/session/internal/regular"
)

// OnHost is the way to homes whose files the user of heretic may read and
// write.
type OnHost struct {
	Root *os.Root // holds the homes
	Path string   // of Root
	// UID and GID own new files; -1 leaves them to the writer.
	UID, GID int
}

// Where returns the host's path.
func (h OnHost) Where(name string) string { return filepath.Join(h.Path, filepath.FromSlash(name)) }

// Read implements [Files].
func (h OnHost) Read(_ context.Context, name string) ([]byte, error) {
	data, err := regular.ReadIn(h.Root, name, maxFile)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return data, nil
	}
	return nil, fmt.Errorf("read the agent's %s: %w", h.Where(name), err)
}

// Write implements [Files]: in one step, with the mode that the file had.
func (h OnHost) Write(_ context.Context, name string, data []byte) error {
	mode := fs.FileMode(0o600)
	if fi, err := h.Root.Stat(name); err == nil {
		mode = fi.Mode().Perm()
	}
	tmp := path.Join(path.Dir(name), ".heretic-"+rand.Text())
	err := h.mkdirs(path.Dir(name))
	if err == nil {
		err = h.Root.WriteFile(tmp, data, mode)
	}
	if err == nil {
		err = h.own(tmp)
	}
	if err == nil {
		err = h.Root.Rename(tmp, name)
	}
	if err != nil {
		_ = h.Root.Remove(tmp) // it may not exist
		return fmt.Errorf("write the agent's %s: %w", h.Where(name), err)
	}
	return nil
}

func (h OnHost) mkdirs(dir string) error {
	if _, err := h.Root.Stat(dir); err == nil {
		return nil
	}
	if err := h.mkdirs(path.Dir(dir)); err != nil {
		return err
	}
	if err := h.Root.Mkdir(dir, 0o700); err != nil {
		return err
	}
	return h.own(dir)
}

func (h OnHost) own(name string) error {
	if h.UID < 0 || h.UID == os.Geteuid() {
		return nil
	}
	return h.Root.Lchown(name, h.UID, h.GID)
}

// InContainer is the way to homes through the engine, where only the
// container's user and the engine may read and write them. The container is
// created and not started.
type InContainer struct {
	Engine Engine
	ID     string
	Home   string   // where the homes are mounted
	Dirs   []string // the mounted directories below Home
	User   User
}

// Where returns the container's path.
func (c InContainer) Where(name string) string {
	return "container:" + path.Join(c.Home, name)
}

// Read implements [Files].
func (c InContainer) Read(ctx context.Context, name string) ([]byte, error) {
	return readFile(ctx, c.Engine, c.ID, path.Join(c.Home, name))
}

// Write implements [Files].
func (c InContainer) Write(ctx context.Context, name string, data []byte) error {
	for _, dir := range c.Dirs {
		rel, ok := strings.CutPrefix(name, dir+"/")
		if !ok {
			continue
		}
		var b bytes.Buffer
		w := &archive{tw: tar.NewWriter(&b), user: c.User, seen: map[string]bool{}}
		err := errors.Join(w.parents(rel), w.file(rel, data), w.tw.Close())
		if err == nil {
			err = c.Engine.CopyTo(ctx, c.ID, path.Join(c.Home, dir), &b)
		}
		if err != nil {
			return fmt.Errorf("write the agent's %s: %w", c.Where(name), err)
		}
		return nil
	}
	return fmt.Errorf("write the agent's %s: it lies in no mounted directory", c.Where(name))
}
