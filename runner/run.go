package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/docker/docker/api/types/container"

	"heretic/runner/internal/term"
)

// DefaultDetachKeys are the keys that leave a container running when
// RunOptions and AttachOptions name none.
const DefaultDetachKeys = "ctrl-],d"

// RunOptions are the options of Run.
type RunOptions struct {
	Spec     Spec
	Pull     string // missing (default), always or never
	Streams  Streams
	Progress io.Writer // of a pull; nil: none

	Detach     bool   // return when the container has started
	Keep       bool   // do not remove the container when it has ended
	DetachKeys string // as docker writes them; empty: DefaultDetachKeys

	Prepare func(ctx context.Context, id string) error     // after create, before start
	Started func(id string)                                // right after start
	Exited  func(ctx context.Context, id string, code int) // after the end, before the removal
}

// Run creates a container, starts it, and stays with it until it ends or the
// user detaches.
//
// Up to the start, the end of ctx or a HUP, INT, QUIT or TERM ends it all, with
// nothing left behind. From then on signals are the container's: these, USR1
// and USR2 are passed on to it. The third INT or TERM kills it, and one that
// has not ended 10 s after a HUP, or after the terminal went away, is stopped.
//
// The container is removed when it has ended (unless Keep) and when it could
// not be started. The terminal has its own mode back when Run returns.
func (e *Engine) Run(ctx context.Context, o RunOptions) (Result, error) {
	keys, err := o.check()
	if err != nil {
		return failure(err)
	}
	spec, err := e.prepare(o.Spec)
	if err != nil {
		return failure(err)
	}
	size, _ := term.SizeOf(o.Streams.Out, o.Streams.In)
	if o.Spec.TTY {
		spec.host.ConsoleSize = [2]uint{size.Rows, size.Cols}
	}
	if o.Detach {
		spec.config.StdinOnce, spec.config.AttachStdin = false, false
		spec.config.AttachStdout, spec.config.AttachStderr = false, false
	}
	signals := term.Subscribe()
	defer signals.Stop()
	pre, settle := signals.Preflight(ctx)
	defer settle()
	id, err := e.createPulling(pre, spec, o)
	if err != nil {
		return failure(orInterrupted(pre, err))
	}
	return e.runCreated(pre, id, o, &attachment{
		e: e, id: id, signals: signals, size: size,
		o: streamOptions{tty: o.Spec.TTY, streams: o.Streams, stdin: o.Spec.Interactive, keys: keys.bytes},
		connect: container.AttachOptions{
			Stream: true, Stdin: o.Spec.Interactive, Stdout: true, Stderr: true, DetachKeys: keys.text,
		},
		until: container.WaitConditionNextExit,
	}, settle)
}

// runCreated goes on with a container that exists, and that is removed unless
// it is to stay.
func (e *Engine) runCreated(pre context.Context, id string, o RunOptions, a *attachment, settle func() ([]os.Signal, error)) (res Result, err error) {
	ctx := context.WithoutCancel(pre)
	owned := true
	defer func() {
		if owned {
			ctx, cancel := context.WithTimeout(ctx, removeTime)
			defer cancel()
			err = errors.Join(err, e.Remove(ctx, id))
		}
	}()
	if o.Prepare != nil {
		if err := o.Prepare(pre, id); err != nil {
			return failure(orInterrupted(pre, err))
		}
	}
	a.steps(pre, o, settle)
	if o.Detach {
		if err := a.attached(); err != nil {
			return failure(err)
		}
		if err := a.start(ctx); err != nil {
			return failure(err)
		}
		owned = false
		a.started()
		a.sendPending(ctx)
		return Result{Detached: true}, nil
	}
	if !e.quirks().consoleSize {
		a.size = term.Size{}
	}
	res, err = a.run(ctx)
	if a.isStarted && !res.Detached && o.Exited != nil {
		o.Exited(ctx, id, res.ExitCode)
	}
	owned = !res.Detached && !(a.isStarted && o.Keep)
	if !res.Detached && !owned {
		e.awaitListed(ctx, id)
	}
	return res, err
}

// removeTime is what an engine has to remove a container: one that answers no
// more does not hold us for ever.
const removeTime = time.Minute

// steps are what a run does once it is attached.
func (a *attachment) steps(pre context.Context, o RunOptions, settle func() ([]os.Signal, error)) {
	a.attached = func() error { // the last moment at which a signal is ours
		early, err := settle()
		if err != nil {
			return orInterrupted(pre, err)
		}
		for _, sig := range early {
			a.pending = append(a.pending, term.Name(sig))
		}
		return nil
	}
	a.start = func(ctx context.Context) error {
		return a.e.startError(ctx, a.id, a.e.docker.ContainerStart(ctx, a.id, container.StartOptions{}))
	}
	a.started = func() {
		if o.Started != nil {
			o.Started(a.id)
		}
	}
}

// check refuses what cannot work, before anything is done.
func (o RunOptions) check() (keySequence, error) {
	switch o.Pull {
	case "", "missing", "always", "never":
	default:
		return keySequence{}, &specError{what: "pull", value: o.Pull, err: errors.New("not a pull policy"), hint: "write missing, always or never"}
	}
	if o.Spec.TTY && o.Spec.Interactive && !o.Detach && !term.Is(o.Streams.In) {
		return keySequence{}, errNoTerminal
	}
	return detachKeys(o.DetachKeys)
}

var errNoTerminal = errors.New("a terminal was asked for, and standard input is none")

// createPulling creates the container; the image is pulled first when it
// always has to be, or when the engine says that it does not have it.
func (e *Engine) createPulling(ctx context.Context, spec *created, o RunOptions) (string, error) {
	if o.Pull == "always" {
		if err := e.Pull(ctx, spec.config.Image, o.Spec.Platform, o.Progress); err != nil {
			return "", err
		}
	}
	id, err := e.create(ctx, spec)
	var missing *ImageError
	if !errors.As(err, &missing) || !errors.Is(err, ErrNotFound) {
		return id, err
	}
	if o.Pull == "never" {
		missing.hint = "build it, or let it be pulled: --pull missing"
		return "", missing
	}
	if err := e.Pull(ctx, spec.config.Image, o.Spec.Platform, o.Progress); err != nil {
		return "", err
	}
	return e.create(ctx, spec)
}

// create creates the container. The engine goes on with a creation whose
// request has ended, so the end of ctx is heeded only after the answer.
func (e *Engine) create(ctx context.Context, c *created) (string, error) {
	if _, err := e.api(ctx); err != nil {
		return "", err
	}
	type answer struct {
		id  string
		err error
	}
	call, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	done := make(chan answer, 1)
	go func() {
		id, err := e.createNow(call, c)
		done <- answer{id, err}
	}()
	select {
	case r := <-done:
		return r.id, r.err
	case <-ctx.Done():
	}
	select {
	case r := <-done:
		if r.err != nil {
			return "", r.err
		}
		return "", errors.Join(context.Cause(ctx), e.Remove(call, r.id))
	case <-time.After(createGrace):
		return "", fmt.Errorf("create the container: %w", context.Cause(ctx))
	}
}

// createGrace is how long a cancelled creation may take.
const createGrace = 10 * time.Second

type keySequence struct {
	text  string
	bytes []byte
}

func detachKeys(s string) (keySequence, error) {
	if s == "" {
		s = DefaultDetachKeys
	}
	b, err := term.ParseKeys(s)
	return keySequence{s, b}, err
}
