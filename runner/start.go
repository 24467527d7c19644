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
	return &StartError{Code: code, Err: &daemonError{err}, hint: startHint(err.Error())}
}

// startHint says what to do about what engines say most often.
func startHint(text string) string {
	for _, t := range []struct{ contains, hint string }{
		{"port is already allocated", takenPort}, {"address already in use", takenPort},
		{"could not select device driver", "the engine has no driver for GPUs: install the NVIDIA container toolkit, or leave extra.gpus out"},
	} {
		if strings.Contains(text, t.contains) {
			return t.hint
		}
	}
	return ""
}

const takenPort = "another session or program has the port: heretic ps --all; a port without the host's (\"80\") lets the engine choose a free one"

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
