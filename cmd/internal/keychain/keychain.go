// Package keychain keeps heretic's secrets in the keychain of the system: macOS
// Keychain, Windows Credential Manager, or a Secret Service (GNOME Keyring,
// KWallet, KeePassXC).
package keychain

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zalando/go-keyring"
)

// Limit is how long the keychain may take, a person who unlocks it included.
// It is below the limit of a profile's secret scripts, so that `heretic secret
// get` as a script ends with its own error.
const Limit = 25 * time.Second

// service is the name under which the keychain has heretic's secrets.
const service = "heretic"

// ErrNotFound is the error of a secret that the keychain does not have.
var ErrNotFound = keyring.ErrNotFound

// ErrNoAnswer is the error of a keychain that took longer than [Limit].
var ErrNoAnswer = fmt.Errorf("no answer within %d seconds", int(Limit.Seconds()))

// Get returns the secret of that name, or [ErrNotFound].
func Get(ctx context.Context, name string) (string, error) {
	return call(ctx, func() (string, error) { return keyring.Get(service, name) })
}

// Set stores a secret, in place of what had the name.
func Set(ctx context.Context, name, value string) error {
	_, err := call(ctx, func() (string, error) { return "", keyring.Set(service, name, value) })
	return err
}

// Delete removes a secret; [ErrNotFound] when there is none.
func Delete(ctx context.Context, name string) error {
	_, err := call(ctx, func() (string, error) { return "", keyring.Delete(service, name) })
	return err
}

// Check tells whether the keychain answers, and has it unlocked.
func Check(ctx context.Context, name string) error {
	_, err := Get(ctx, name)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

func call(ctx context.Context, f func() (string, error)) (string, error) {
	return within(ctx, func() (string, error) {
		if err := reachable(); err != nil {
			return "", err
		}
		return f()
	})
}

// within calls f, which knows no context, and stops waiting when ctx ends or
// the time is over. A locked keychain waits for a person, maybe on a screen
// that nobody sees. What was called goes on until the process ends.
func within(ctx context.Context, f func() (string, error)) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, Limit, ErrNoAnswer)
	defer cancel()
	type result struct {
		value string
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := f()
		done <- result{value, err}
	}()
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case r := <-done:
		return r.value, r.err
	}
}
