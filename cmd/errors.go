package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"heretic/profile"
	"heretic/runner"
	"heretic/session"
)

// Exit codes other than the agent's own.
const (
	exitOK       = 0
	exitFailure  = 1   // a command failed
	exitUsage    = 2   // wrong usage
	exitApproval = 3   // the user's approval is needed and cannot be asked for
	exitEngine   = 125 // heretic or the engine failed before the agent ran
	exitSignal   = 128 // plus the number of the signal
)

// exitError ends heretic with a code that is not heretic's own to explain:
// the agent's. Nothing is printed.
type exitError struct{ code int }

func (e *exitError) Error() string { return "exit" }

// usageError is a wrong command line.
type usageError struct {
	err     error
	command string // whose --help explains it
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }
func (e *usageError) Hint() string {
	if e.command == "" {
		return ""
	}
	return "run '" + e.command + " --help' for usage"
}

// hintError adds what to type next to an error.
type hintError struct {
	err  error
	hint string
}

func withHint(err error, hint string) error { return &hintError{err, hint} }

func (e *hintError) Error() string { return e.err.Error() }
func (e *hintError) Unwrap() error { return e.err }
func (e *hintError) Hint() string  { return e.hint }

// report prints err and returns the exit code for it. failure is the code of
// the command's own failures.
func (a *App) report(ctx context.Context, err error, failure int) int {
	if err == nil {
		return exitOK
	}
	if exit, ok := errors.AsType[*exitError](err); ok {
		return exit.code
	}
	if signal, ok := errors.AsType[interrupted](context.Cause(ctx)); ok && errors.Is(err, context.Canceled) {
		return exitSignal + int(signal.signal)
	}
	said := map[string]bool{} // a full disk fails once for each line
	for _, e := range messages(err) {
		if text := e.Error(); !said[text] {
			a.IO.Error(text)
			said[text] = true
		}
	}
	for _, hint := range hints(err) {
		a.IO.Hint(hint)
	}
	return exitCode(err, failure)
}

func exitCode(err error, failure int) int {
	if _, ok := errors.AsType[*usageError](err); ok {
		return exitUsage
	}
	if _, ok := errors.AsType[*approvalError](err); ok {
		return exitApproval
	}
	if coded, ok := errors.AsType[*codedError](err); ok && coded.code != exitOK {
		return coded.code
	}
	return failure
}

// messages splits errors that were joined, so that each gets its own line.
func messages(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var texts []string
	var all []error
	for _, e := range joined.Unwrap() {
		texts = append(texts, e.Error())
		all = append(all, messages(e)...)
	}
	if strings.Join(texts, "\n") != err.Error() {
		return []error{err} // it says more than its parts
	}
	return all
}

// hints collects the hints of all errors in err's tree, outermost first.
func hints(err error) []string {
	var all []string
	var walk func(error)
	walk = func(err error) {
		if h, ok := err.(interface{ Hint() string }); ok {
			if hint := h.Hint(); hint != "" && !slices.Contains(all, hint) {
				all = append(all, hint)
			}
		}
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			if next := e.Unwrap(); next != nil {
				walk(next)
			}
		case interface{ Unwrap() []error }:
			for _, next := range e.Unwrap() {
				walk(next)
			}
		}
	}
	walk(err)
	return all
}

// approvalError stops a command that needs the user's word where nobody can
// be asked.
type approvalError struct {
	text string
	hint string
}

func (e *approvalError) Error() string { return e.text }
func (e *approvalError) Hint() string  { return e.hint }

// codedError is an error with an exit code of its own.
type codedError struct {
	err  error
	code int
}

func (e *codedError) Error() string { return e.err.Error() }
func (e *codedError) Unwrap() error { return e.err }

// placedError says where the value is that an engine refuses.
type placedError struct {
	err error
	at  profile.KeyOrigin
}

func (e *placedError) Error() string {
	return fmt.Sprintf("%s: %s: %v", e.at.Origin.Pos, e.at.Path, e.err)
}

func (e *placedError) Unwrap() error { return e.err }

// placed adds the place of the value to an engine's refusal of it.
func placed(err error, r *profile.Resolved) error {
	refused, ok := errors.AsType[*runner.RefusedError](err)
	if !ok {
		return err
	}
	key := session.KeyOf(refused.Field)
	i := slices.IndexFunc(r.Origins, func(o profile.KeyOrigin) bool { return o.Path == key && o.Origin.Pos.Line > 0 })
	if i < 0 {
		return err
	}
	return &placedError{err, r.Origins[i]}
}
