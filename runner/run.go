package runner

import (
	"context"
	"errors"
	"fmt"
	"io"

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

	Prepare func(ctx context.Context, id string) error // after create, before start
	Started func(id string)                            // right after start
	Exited  func(ctx context.Context, id string)       // after the end, before the removal
}

// Run creates a container, starts it, and stays with it until it ends or the
// user detaches. ctx ends what happens up to the creation (checks, pull);
// after that the container's end, the detach keys and signals decide: HUP,
// INT, QUIT, TERM, USR1 and USR2 are passed on to the container, the third INT
// or TERM kills it, and one that has not ended 10 s after a HUP is stopped.
//
// The container is removed when it has ended (unless Keep) and when it could
// not be started. The terminal has its own mode back when Run returns.
func (e *Engine) Run(ctx context.Context, o RunOptions) (res Result, err error) {
	failed := Result{ExitCode: 125}
	keys, err := detachKeys(o.DetachKeys)
	if err != nil {
		return failed, err
	}
	if o.Spec.TTY && o.Spec.Interactive && !o.Detach && !term.Is(o.Streams.In) {
		return failed, errors.New("a terminal was asked for, and standard input is none")
	}
	spec, err := e.prepare(o.Spec)
	if err != nil {
		return failed, err
	}
	size, sized := term.SizeOf(o.Streams.Out, o.Streams.In)
	if o.Spec.TTY && sized {
		spec.host.ConsoleSize = [2]uint{size.Rows, size.Cols}
	}
	id, err := e.createPulling(ctx, spec, o)
	if err != nil {
		return failed, err
	}

	a := &attachment{
		e: e, id: id, size: size, sizeKnown: e.quirks().consoleSize,
		signals: term.Subscribe(),
		o:       streamOptions{tty: o.Spec.TTY, streams: o.Streams, stdin: o.Spec.Interactive, keys: keys.bytes},
	}
	defer a.signals.Stop()
	prepareCtx := ctx
	ctx = context.WithoutCancel(ctx)
	owned := true
	defer func() {
		if !owned {
			return
		}
		if rerr := e.Remove(ctx, id); rerr != nil {
			err = errors.Join(err, rerr)
		}
	}()
	if o.Prepare != nil {
		if err := o.Prepare(prepareCtx, id); err != nil {
			return failed, err
		}
	}
	a.start = func(ctx context.Context) error {
		err := e.docker.ContainerStart(ctx, id, container.StartOptions{})
		return e.startError(ctx, id, err)
	}
	if o.Detach {
		if err := a.start(ctx); err != nil {
			return startResult(err), err
		}
		owned = false
		if o.Started != nil {
			o.Started(id)
		}
		return Result{Detached: true}, nil
	}
	a.started = o.Started
	res, err = a.run(ctx, container.AttachOptions{
		Stream: true, Stdin: o.Spec.Interactive, Stdout: true, Stderr: true, DetachKeys: keys.text,
	}, container.WaitConditionNextExit)
	if a.isStarted {
		if o.Exited != nil && !res.Detached {
			o.Exited(ctx, id)
		}
		owned = !o.Keep && !res.Detached
	}
	return res, err
}

// createPulling creates the container; the image is pulled first when it
// always has to be, or when the engine says that it does not have it.
func (e *Engine) createPulling(ctx context.Context, spec *created, o RunOptions) (string, error) {
	switch o.Pull {
	case "", "missing", "never":
	case "always":
		if err := e.Pull(ctx, spec.config.Image, o.Spec.Platform, o.Progress); err != nil {
			return "", err
		}
	default:
		return "", fmt.Errorf("pull %q: want missing, always or never", o.Pull)
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
