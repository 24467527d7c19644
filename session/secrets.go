package session

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"

	"heretic/runner"
)

// secretDir is where the container has the secrets that are files.
const secretDir = "/run/secrets"

// secrets plans the secrets that are delivered as files.
func (b *planner) secrets() error {
	if len(b.p.Secrets) == 0 {
		return nil
	}
	b.p.secretUser = b.f.User
	if !b.mount(runner.Mount{Type: runner.Memory, Target: secretDir}) {
		return fmt.Errorf("secret %q is to be a file in %s, where a volume of the profile is mounted", b.p.Secrets[0].Name, secretDir)
	}
	return nil
}

// writeSecrets puts the secrets into the created container, through the
// engine: they are in no file on this side of it, and in no environment.
func (l *launch) writeSecrets(ctx context.Context, id string) error {
	if len(l.p.Secrets) == 0 {
		return nil
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	var errs []error
	for _, s := range l.p.Secrets {
		errs = append(errs, w.WriteHeader(&tar.Header{
			Name: s.Name, Typeflag: tar.TypeReg, Mode: 0o400, Size: int64(len(s.Value)),
			Uid: l.p.secretUser.UID, Gid: l.p.secretUser.GID,
		}))
		_, err := w.Write([]byte(s.Value))
		errs = append(errs, err)
	}
	if err := errors.Join(append(errs, w.Close())...); err != nil {
		return err
	}
	last := l.p.Secrets[len(l.p.Secrets)-1].Name
	release, err := l.eng.FillMemory(ctx, id, secretDir, b.Bytes(), last, Helper(l.p.Project, l.p.Spec.Image, l.p.Spec.Platform))
	if err != nil {
		return fmt.Errorf("deliver the secrets: %w", err)
	}
	l.releaseSecrets = release
	return nil
}

// secretsDelivered is called when the container uses them itself, or never
// will.
func (l *launch) secretsDelivered() {
	if l.releaseSecrets != nil {
		l.warn(l.releaseSecrets())
		l.releaseSecrets = nil
	}
}
