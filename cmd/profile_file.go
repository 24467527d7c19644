package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"heretic/cmd/internal/files"
	"heretic/profile"
	"heretic/profile/yamledit"
)

// profileFile is the text of one profile: a global one, or the override of a
// project.
type profileFile struct {
	path    string
	project string // set for an override
	name    string // below the project
	data    []byte
	exists  bool
}

// globalProfile reads a global profile, which must exist.
func (a *App) globalProfile(loader profile.Loader, agent string) (*profileFile, error) {
	if err := profile.CheckName("agent", agent); err != nil {
		return nil, &usageError{err, ""}
	}
	f := &profileFile{path: loader.GlobalPath(agent)}
	if err := f.read(); err != nil {
		return nil, err
	}
	if !f.exists {
		_, err := loader.Merge(agent, profile.Options{NoLocal: true}) // says so, with near names
		return nil, errors.Join(err)
	}
	return f, nil
}

// localProfile reads the project's override of an agent. One that does not
// exist begins as an override of the global profile.
func (a *App) localProfile(loader profile.Loader, agent string) (*profileFile, error) {
	if err := profile.CheckName("agent", agent); err != nil {
		return nil, &usageError{err, ""}
	}
	f := &profileFile{
		path:    loader.LocalPath(agent),
		project: loader.Project,
		name:    filepath.Join(filepath.FromSlash(profile.LocalDir), agent+".yaml"),
	}
	if err := f.read(); err != nil {
		return nil, err
	}
	if !f.exists {
		if _, err := a.globalProfile(loader, agent); err != nil {
			return nil, err
		}
		f.data = yamledit.Override(agent)
	}
	return f, nil
}

func (f *profileFile) read() error {
	var err error
	f.data, err = readFile(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("profile: %w", err)
	}
	f.exists = true
	return nil
}

// write checks data and makes it the text of the file. A file that somebody
// else changed in between is left alone.
func (f *profileFile) write(loader profile.Loader, data []byte) error {
	if _, err := loader.Validate(f.path, data, f.project != ""); err != nil {
		return err
	}
	now, err := readFile(f.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if f.exists != (err == nil) || f.exists && !bytes.Equal(now, f.data) {
		return fmt.Errorf("%s was changed meanwhile; nothing was written", f.path)
	}
	if f.project != "" {
		return files.WriteBelow(f.project, f.name, data, 0o644)
	}
	return files.Write(f.path, data, 0o600)
}

// writeProfile writes a profile at the user's command. What that adds to a
// project's override is approved.
func (a *App) writeProfile(loader profile.Loader, agent string, f *profileFile, data []byte) error {
	if f.project == "" {
		return f.write(loader, data)
	}
	w, err := a.beforeWriting(loader, agent)
	if err != nil {
		return err
	}
	if err := f.write(loader, data); err != nil {
		return err
	}
	return w.approve()
}
