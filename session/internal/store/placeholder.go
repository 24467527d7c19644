package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// placeholderRecord remembers which empty files and folders of the work tree
// are heretic's: a mount inside a mounted folder needs something to land on.
const placeholderRecord = ".placeholders.json"

// Placeholder is an empty file, or folder, of the work tree.
type Placeholder struct {
	Path string `json:"path"` // below the project, with slashes
	Dir  bool   `json:"dir,omitempty"`
}

// Placeholders returns those that are recorded as heretic's.
func (s *Store) Placeholders() ([]Placeholder, error) {
	data, err := s.Read(placeholderRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var ps []Placeholder
	if err == nil {
		err = json.Unmarshal(data, &ps)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Path(placeholderRecord), err)
	}
	return ps, nil
}

// AddPlaceholders makes those that do not exist and records them, in the other
// order: a crash in between leaves a record without a file, not a file that
// nobody knows. Call it under the project's lock.
func (s *Store) AddPlaceholders(ps []Placeholder) error {
	known, err := s.Placeholders()
	if err != nil {
		return err
	}
	var missing []Placeholder
	for _, p := range ps {
		if _, err := s.root.Lstat(p.Path); errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, p)
		} else if err != nil && strings.Contains(err.Error(), "escapes") {
			continue // behind a link out of the project: no place of ours
		} else if err != nil {
			return s.wrapRoot(err)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	for _, p := range missing {
		if !slices.Contains(known, p) {
			known = append(known, p)
		}
	}
	if err := s.record(known); err != nil {
		return err
	}
	for _, p := range missing {
		if err := s.makePlaceholder(p); err != nil {
			return s.wrapRoot(err)
		}
	}
	return nil
}

func (s *Store) makePlaceholder(p Placeholder) error {
	if p.Dir {
		if err := s.root.Mkdir(p.Path, 0o755); err != nil {
			return err
		}
		s.own(s.root, p.Path)
		return nil
	}
	f, err := s.root.OpenFile(p.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	s.own(s.root, p.Path)
	return f.Close()
}

// DropPlaceholders removes the recorded ones for which keep says no and
// returns the paths that are gone. One that has got content is no placeholder
// any more: it stays, and is forgotten. Call it under the project's lock.
func (s *Store) DropPlaceholders(keep func(Placeholder) bool) ([]string, error) {
	known, err := s.Placeholders()
	if err != nil || len(known) == 0 {
		return nil, err
	}
	var left []Placeholder
	var gone []string
	var errs []error
	for _, p := range slices.Backward(known) { // what is in a folder before the folder
		if keep(p) {
			left = append(left, p)
			continue
		}
		removed, err := s.removePlaceholder(p)
		if err != nil {
			left = append(left, p)
			errs = append(errs, s.wrapRoot(err))
		}
		if removed {
			gone = append(gone, filepath.FromSlash(p.Path))
		}
	}
	slices.Reverse(left)
	if len(left) != len(known) {
		errs = append(errs, s.record(left))
	}
	return gone, errors.Join(errs...)
}

// IdlePlaceholders returns the paths that [Store.DropPlaceholders] would remove.
func (s *Store) IdlePlaceholders(keep func(Placeholder) bool) ([]string, error) {
	known, err := s.Placeholders()
	if err != nil {
		return nil, err
	}
	var idle []string
	for _, p := range slices.Backward(known) {
		if keep(p) {
			continue
		}
		ours, err := s.isPlaceholder(p, idle)
		if err != nil {
			return nil, s.wrapRoot(err)
		}
		if ours {
			idle = append(idle, filepath.FromSlash(p.Path))
		}
	}
	return idle, nil
}

func (s *Store) removePlaceholder(p Placeholder) (bool, error) {
	ours, err := s.isPlaceholder(p, nil)
	if !ours || err != nil {
		return false, err
	}
	return true, s.root.Remove(p.Path)
}

// isPlaceholder tells whether what is at the path of p is still empty, but for
// the paths that are said to be going.
func (s *Store) isPlaceholder(p Placeholder, going []string) (bool, error) {
	fi, err := s.root.Lstat(p.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || fi.IsDir() != p.Dir {
		return false, err
	}
	if !p.Dir {
		return fi.Mode().IsRegular() && fi.Size() == 0, nil
	}
	entries, err := fs.ReadDir(s.root.FS(), p.Path)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		if !slices.Contains(going, filepath.Join(filepath.FromSlash(p.Path), e.Name())) {
			return false, nil
		}
	}
	return true, nil
}

func (s *Store) record(ps []Placeholder) error {
	if len(ps) == 0 {
		return s.Remove(placeholderRecord)
	}
	data, err := json.Marshal(ps)
	if err != nil {
		return err
	}
	return s.Write(placeholderRecord, append(data, '\n'), 0o600)
}
