package runner

import (
	"context"
	"errors"
	"fmt"
)

// InterruptError is returned when a signal ended a run before the container
// was started. It is context.Canceled too.
type InterruptError struct{ Signal string } // without SIG

func (e *InterruptError) Error() string { return fmt.Sprintf("interrupted by SIG%s", e.Signal) }

// Unwrap makes it a cancellation.
func (e *InterruptError) Unwrap() error { return context.Canceled }

// startError finds out why a container did not start: the engine keeps the
// code of a command that cannot be run, in words that differ from version to
// version.
func (e *Engine) startError(ctx context.Context, id string, err error) error {
	if err == nil {
		return nil
	}
	code := 125
	if c, ierr := e.docker.ContainerInspect(ctx, id); ierr == nil && c.State != nil &&
		(c.State.ExitCode == 126 || c.State.ExitCode == 127) {
		code = c.State.ExitCode
	}
	werr := e.wrap("start", err)
	var down *UnavailableError
	if errors.As(werr, &down) {
		return down
	}
	return &StartError{Code: code, Err: &daemonError{err}}
}

func startResult(err error) Result {
	var se *StartError
	if errors.As(err, &se) {
		return Result{ExitCode: se.Code}
	}
	return Result{ExitCode: 125}
}
