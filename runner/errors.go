package runner

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/client"
)

// ErrNotFound is wrapped by every error about a container or an image that
// the engine does not have.
var ErrNotFound = errors.New("not found")

// NameConflictError is returned by Create and Run when a container of that
// name exists already.
type NameConflictError struct{ Name string }

func (e *NameConflictError) Error() string {
	return fmt.Sprintf("a container named %q exists already", e.Name)
}

// UnavailableError is returned when the engine does not answer.
type UnavailableError struct {
	Host, Why string // as in Info
	Err       error
	hint      string
}

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("no answer from the container engine at %s (%s): %v", e.Host, e.Why, e.Err)
}

// Unwrap returns the cause.
func (e *UnavailableError) Unwrap() error { return e.Err }

// Hint says what to do about it.
func (e *UnavailableError) Hint() string { return e.hint }

// ImageError is returned when an image is missing and may not be pulled, or
// could not be pulled.
type ImageError struct {
	Ref  string
	Err  error
	hint string
}

func (e *ImageError) Error() string { return fmt.Sprintf("image %q: %v", e.Ref, e.Err) }

// Unwrap returns the cause; it is ErrNotFound when the image does not exist.
func (e *ImageError) Unwrap() error { return e.Err }

// Hint says what to do about it.
func (e *ImageError) Hint() string { return e.hint }

// StartError is returned when a container was created and could not be
// started.
type StartError struct {
	Code int // 126 not executable, 127 not found, 125 anything else
	Err  error
}

func (e *StartError) Error() string { return fmt.Sprintf("start the container: %v", e.Err) }

// Unwrap returns the cause.
func (e *StartError) Unwrap() error { return e.Err }

// RemoteError is returned, before anything is created, when the engine runs
// on another machine and so cannot see the directories that a container would
// mount.
type RemoteError struct {
	Host, Why string // as in Info
	Source    string // the first bind source
}

func (e *RemoteError) Error() string {
	return fmt.Sprintf("the container engine at %s (%s) runs on another machine and cannot mount %q of this one", e.Host, e.Why, e.Source)
}

// Hint says what to do about it.
func (e *RemoteError) Hint() string {
	return "use an engine of this machine: `docker context use default`, or unset DOCKER_HOST and DOCKER_CONTEXT"
}

// specError is about a value in a Spec.
type specError struct {
	what, value string
	err         error
	hint        string
}

func (e *specError) Error() string { return fmt.Sprintf("%s %q: %v", e.what, e.value, e.err) }
func (e *specError) Unwrap() error { return e.err }
func (e *specError) Hint() string  { return e.hint }

// wrap turns an error of the client into ours: typed where callers decide,
// without the client's own prefixes.
func (e *Engine) wrap(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: %w", doing, err)
	case client.IsErrConnectionFailed(err):
		return e.unavailable(err)
	case errdefs.IsNotFound(err):
		return fmt.Errorf("%s: %w: %s", doing, ErrNotFound, daemonText(err))
	}
	return fmt.Errorf("%s: %w", doing, &daemonError{err})
}

// daemonError shows the engine's own words.
type daemonError struct{ err error }

func (e *daemonError) Error() string { return daemonText(e.err) }
func (e *daemonError) Unwrap() error { return e.err }

// daemonText is the engine's text without the client's prefixes. Others have
// written parts of it, a registry for one: control characters are escaped.
func daemonText(err error) string {
	s := err.Error()
	for _, p := range []string{"Error response from daemon: ", "Error: "} {
		s = strings.TrimPrefix(s, p)
	}
	var b strings.Builder
	for _, r := range s {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
	}
	return b.String()
}
