package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/docker/docker/client"

	"heretic/runner/internal/term"
)

// InterruptError is returned when a signal ended a run before the container
// was started. It is context.Canceled too.
type InterruptError struct {
	Signal string // without SIG
	Number int
}

func (e *InterruptError) Error() string { return fmt.Sprintf("interrupted by SIG%s", e.Signal) }

// Unwrap makes it a cancellation.
func (e *InterruptError) Unwrap() error { return context.Canceled }

// orInterrupted returns err, or the InterruptError that is behind it.
func orInterrupted(ctx context.Context, err error) error {
	var by term.Interrupted
	if ctx.Err() != nil && errors.As(context.Cause(ctx), &by) {
		return &InterruptError{Signal: term.Name(by.Signal), Number: term.Number(by.Signal)}
	}
	return err
}

// startError finds out why a container did not start: the engine keeps the
// code of a command that cannot be run, in words that differ from version to
// version.
func (e *Engine) startError(ctx context.Context, id string, err error) error {
	if err == nil {
		return nil
	}
	if client.IsErrConnectionFailed(err) {
		return e.unavailable(err)
	}
	code := 125
	if c, ierr := e.docker.ContainerInspect(ctx, id); ierr == nil && c.State != nil &&
		(c.State.ExitCode == 126 || c.State.ExitCode == 127) {
		code = c.State.ExitCode
	}
	for _, t := range e.quirks().startTexts {
		if strings.Contains(err.Error(), t.contains) {
			code = t.code
		}
	}
	if r := refused(err); r != nil {
		return &StartError{Code: code, Err: r}
	}
	return &StartError{Code: code, Err: &daemonError{err}}
}

// failure is the result of an error.
func failure(err error) (Result, error) {
	var start *StartError
	var sig *InterruptError
	switch {
	case errors.As(err, &start):
		return Result{ExitCode: start.Code}, err
	case errors.As(err, &sig):
		return Result{ExitCode: 128 + sig.Number}, err
	}
	return Result{ExitCode: 125}, err
}
