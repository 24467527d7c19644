package session

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
)

// secretDir is where the container has the secrets that are files.
const secretDir = "/run/secrets"

// writeSecrets puts the secrets into the created container, through the
// engine: they are never on this side of it, and in no environment.
func (l *launch) writeSecrets(ctx context.Context, id string) error {
	if len(l.p.Secrets) == 0 {
		return nil
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	var errs []error
	to, below := "/", secretDir[1:]
	if l.p.Spec.ReadOnlyRoot {
		to, below = secretDir, "" // a volume is there
	} else {
		for dir := range parents(secretDir) {
			errs = append(errs, w.WriteHeader(&tar.Header{Name: dir + "/", Typeflag: tar.TypeDir, Mode: 0o755}))
		}
	}
	for _, s := range l.p.Secrets {
		errs = append(errs, w.WriteHeader(&tar.Header{
			Name: path.Join(below, s.Name), Typeflag: tar.TypeReg, Mode: 0o400, Size: int64(len(s.Value)),
			Uid: l.p.secretUser.UID, Gid: l.p.secretUser.GID,
		}))
		_, err := w.Write([]byte(s.Value))
		errs = append(errs, err)
	}
	if err := errors.Join(append(errs, w.Close())...); err != nil {
		return err
	}
	if err := l.eng.CopyTo(ctx, id, to, &b); err != nil {
		return fmt.Errorf("deliver the secrets: %w", err)
	}
	return nil
}

// parents yields "run", "run/secrets" for "/run/secrets".
func parents(dir string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := range dir {
			if i > 0 && dir[i] == '/' && !yield(dir[1:i]) {
				return
			}
		}
		yield(strings.TrimPrefix(dir, "/"))
	}
}
