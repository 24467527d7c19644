package home

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"path"
	"slices"

	"heretic/runner"
)

// missingParents are the folders above the directories that the image does not
// have below a home, the outer ones first. The engine would make them for the
// mounts, as root's: the user could put nothing else there.
func missingParents(ctx context.Context, eng Engine, id, home string, dirs []string) ([]string, error) {
	var missing []string
	looked := map[string]bool{}
	for _, dir := range dirs {
		for _, up := range above(dir) {
			if looked[up] {
				continue
			}
			looked[up] = true
			if outer := path.Dir(up); slices.Contains(missing, outer) {
				missing = append(missing, up)
				continue
			}
			rc, err := eng.CopyFrom(ctx, id, path.Join(home, up))
			switch {
			case errors.Is(err, runner.ErrNotFound):
				missing = append(missing, up)
			case err != nil:
				return nil, err
			default:
				rc.Close()
			}
		}
	}
	return missing, nil
}

// above are the folders above a relative name, the outer ones first.
func above(name string) []string {
	up := path.Dir(name)
	if up == "." {
		return nil
	}
	return append(above(up), up)
}

// MakeParents makes folders below the home of a container that has not started
// yet, and gives them to the user.
func MakeParents(ctx context.Context, eng Engine, id, home string, parents []string, user User) error {
	var b bytes.Buffer
	w := &archive{tw: tar.NewWriter(&b), user: user, seen: map[string]bool{}}
	for _, dir := range parents {
		if err := w.dir(dir, 0o755); err != nil {
			return err
		}
	}
	if err := w.tw.Close(); err != nil {
		return err
	}
	err := eng.CopyTo(ctx, id, home, &b)
	if errors.Is(err, runner.ErrNotFound) {
		return nil // not even the home is there
	}
	return err
}
