package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/docker/docker/api/types/container"

	"heretic/runner/internal/term"
)

const (
	// hangupGrace is how long a container may ignore that its terminal is gone.
	hangupGrace = 10 * time.Second
	// stopGrace is how long it may ignore that it is to stop.
	stopGrace = 3 * time.Second
	// killGrace is how long the engine may take to report the end of a
	// container that was killed.
	killGrace = 10 * time.Second
	// drainIdle is how long the output may stand still after the end.
	drainIdle = 20 * time.Second
)

// exit is how a container ended, or why that is not known.
type exit struct {
	code int
	err  error
}

// watch registers for the end of a container. It returns after the engine has
// acknowledged that, or with an error waiting in the channel.
func (e *Engine) watch(ctx context.Context, api dockerAPI, id string, cond container.WaitCondition) <-chan exit {
	status, errs := api.ContainerWait(ctx, id, cond)
	c := make(chan exit, 1)
	go func() {
		select {
		case s := <-status:
			x := exit{code: int(s.StatusCode)}
			if s.Error != nil && s.Error.Message != "" {
				x.err = fmt.Errorf("wait for the container: %s", s.Error.Message)
			}
			c <- x
		case err := <-errs:
			c <- exit{code: 125, err: e.wrap("wait for the container", err)}
		case <-ctx.Done():
			c <- exit{code: 125, err: ctx.Err()}
		}
	}()
	return c
}

// attachment is the caller's connection to one container from attach to its
// end.
type attachment struct {
	e       *Engine
	id      string
	o       streamOptions
	signals *term.Signals
	size    term.Size
	// sizeKnown: the container's terminal has this size already.
	sizeKnown bool
	// start starts the container; nil when it runs already.
	start     func(context.Context) error
	started   func(id string)
	isStarted bool
	// attached looks at the container once more, after attach.
	attached func() error
	// hangupDetaches: the container outlives the terminal.
	hangupDetaches bool

	stream     *stream
	interrupts int
	pending    []os.Signal
}

// run attaches, starts and stays.
func (a *attachment) run(ctx context.Context, opts container.AttachOptions, cond container.WaitCondition) (Result, error) {
	failed := Result{ExitCode: 125}
	conn, err := a.e.docker.ContainerAttach(ctx, a.id, opts)
	if err != nil {
		return failed, a.e.wrap("attach", err)
	}
	defer conn.Close()
	waitCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	status := a.e.watch(waitCtx, a.e.docker, a.id, cond)
	if a.attached != nil {
		if err := a.attached(); err != nil {
			return failed, err
		}
	}
	if sig := a.abort(); sig != nil {
		return Result{ExitCode: 128 + term.Number(sig)}, &InterruptError{Signal: term.Name(sig)}
	}
	if a.o.tty {
		a.o.terminal, err = term.Raw(a.o.streams.In, a.o.streams.Out)
		if err != nil {
			return failed, fmt.Errorf("raw mode: %w", err)
		}
		defer a.o.terminal.Restore()
	}
	a.stream = startStream(conn, a.o)
	defer a.stream.close()
	return a.live(ctx, status)
}

// abort returns a signal that came before the start and asks us to end. Others
// are kept for the container.
func (a *attachment) abort() os.Signal {
	for {
		select {
		case sig := <-a.signals.C:
			switch term.Name(sig) {
			case "HUP", "INT", "QUIT", "TERM":
				return sig
			}
			a.pending = append(a.pending, sig)
		default:
			return nil
		}
	}
}

// live is the one place that decides how it ends.
func (a *attachment) live(ctx context.Context, status <-chan exit) (Result, error) {
	kills := make(chan string, 64)
	defer close(kills)
	go a.sendSignals(ctx, kills)

	starting := make(chan error, 1)
	if a.start != nil {
		go func() { starting <- a.start(ctx) }()
	} else {
		starting <- nil
	}
	stopResize := func() {}
	defer func() { stopResize() }()

	var (
		output         = a.stream.output
		input          = a.stream.input
		hungUp, gaveUp <-chan time.Time
		outputErr      error
	)
	stop := func() {
		go func() { _ = a.e.Stop(ctx, a.id, stopGrace) }()
	}
	for {
		select {
		case err := <-starting:
			if err != nil {
				a.stream.close()
				a.o.terminal.Restore()
				return startResult(err), err
			}
			a.isStarted = true
			stopResize = a.followSize(ctx)
			if a.started != nil {
				a.started(a.id)
			}
			for _, sig := range a.pending {
				kills <- term.Name(sig)
			}
		case x := <-status:
			a.stream.stopInput()
			if output != nil {
				if err := a.stream.drain(drainIdle); err != nil {
					outputErr = err
				}
			}
			a.o.terminal.Restore()
			return a.result(x, outputErr)
		case err := <-output:
			output = nil
			if err != nil {
				outputErr = err
				stop()
			}
		case end := <-input:
			switch {
			case end == inputDetached, end == inputGone && a.hangupDetaches:
				return Result{Detached: true}, nil
			case end == inputGone && hungUp == nil:
				kills <- "HUP"
				hungUp = time.After(hangupGrace)
			}
		case sig := <-a.signals.C:
			name := term.Name(sig)
			if name == "HUP" {
				if a.hangupDetaches {
					return Result{Detached: true}, nil
				}
				hungUp = time.After(hangupGrace)
			}
			if name == "INT" || name == "TERM" {
				a.interrupts++
			}
			if a.interrupts >= 3 {
				name = "KILL"
				gaveUp = time.After(killGrace)
			}
			if a.isStarted {
				kills <- name
			} else {
				a.pending = append(a.pending, sig)
			}
		case <-hungUp:
			stop()
		case <-gaveUp:
			return Result{ExitCode: 137}, errors.New("the engine does not report the end of the container that was killed")
		}
	}
}

// result is the caller's view of the end.
func (a *attachment) result(x exit, outputErr error) (Result, error) {
	switch {
	case x.err != nil:
		return Result{ExitCode: 125}, x.err
	case errors.Is(outputErr, syscall.EPIPE), errors.Is(outputErr, io.ErrClosedPipe):
		return Result{ExitCode: 128 + 13}, nil // as if SIGPIPE had ended us
	case outputErr != nil && !errors.Is(outputErr, syscall.EIO):
		return Result{ExitCode: 125}, fmt.Errorf("write the output: %w", outputErr)
	}
	return Result{ExitCode: x.code}, nil
}

// sendSignals delivers signals in order, apart from the loop that must not
// wait for the engine.
func (a *attachment) sendSignals(ctx context.Context, kills <-chan string) {
	for name := range kills {
		if err := a.e.docker.ContainerKill(ctx, a.id, name); err != nil {
			a.e.log.Debug("signal not delivered", "signal", name, "err", err)
		}
	}
}

// followSize gives the container's terminal our size, now where it is needed
// and after each change.
func (a *attachment) followSize(ctx context.Context) (stop func()) {
	if !a.o.tty {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	resize := func(s term.Size) error {
		return a.e.docker.ContainerResize(ctx, a.id, container.ResizeOptions{Height: s.Rows, Width: s.Cols})
	}
	first := make(chan struct{})
	go func() {
		defer close(first)
		now, ok := term.SizeOf(a.o.streams.Out, a.o.streams.In)
		if !ok || (a.sizeKnown && now == a.size) {
			return
		}
		retryResize(ctx, func() error { return resize(now) })
	}()
	stopWatch := term.WatchSize(func(s term.Size) { <-first; _ = resize(s) }, a.o.streams.Out, a.o.streams.In)
	return func() {
		cancel()
		stopWatch()
		<-first
	}
}

// retryResize repeats a resize that comes before the container's process is
// there.
func retryResize(ctx context.Context, resize func() error) {
	for i := range 10 {
		if resize() == nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Duration(i+1) * 10 * time.Millisecond):
		}
	}
}
