package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
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
	// silenceGrace is how long after the end of a terminal's output the end of
	// the container may be reported.
	silenceGrace = 3 * time.Second
	// interruptsToKill is the number of INT and TERM that end the patience.
	interruptsToKill = 3
)

// errStreamEnded is the cause when nothing but the stream was lost.
var errStreamEnded = errors.New("the terminal's stream has ended, the container has not")

// attachment is the caller's connection to one container from attach to its
// end.
type attachment struct {
	e       *Engine
	id      string
	o       streamOptions
	connect container.AttachOptions
	until   container.WaitCondition
	signals *term.Signals

	// attached is called after attach and before start. An error ends it all.
	attached func() error
	// start starts the container, or is nil where it runs already.
	start func(context.Context) error
	// started is called when it runs.
	started func()
	// size is the one that the container's terminal has from its creation.
	size term.Size
	// enter are sequences that the terminal needs before the output.
	enter []byte
	// outlives: the container outlives our terminal and our output.
	outlives bool
	// watches: what asks us to end is not for the container.
	watches bool

	stream    *stream
	orders    chan string // signal names, or "stop"
	pending   []string    // orders from before the start
	isStarted bool
}

// run attaches, starts and stays.
func (a *attachment) run(ctx context.Context) (res Result, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var status <-chan exit
	var watchErr error
	var watching sync.WaitGroup
	watching.Go(func() { status, watchErr = a.e.watch(ctx, a.id, a.until) })
	conn, err := a.e.docker.ContainerAttach(ctx, a.id, a.connect)
	if err != nil {
		cancel()
		watching.Wait()
		return failure(a.attachError(context.WithoutCancel(ctx), err))
	}
	defer conn.Close()
	if watching.Wait(); watchErr != nil {
		return failure(watchErr)
	}
	if a.attached != nil {
		if err := a.attached(); err != nil {
			return failure(err)
		}
	}
	if a.o.tty {
		a.o.terminal, err = a.o.raw()
		if err != nil {
			return failure(fmt.Errorf("raw mode: %w", err))
		}
		defer func() {
			giveBack := a.o.terminal.Restore
			if res.Detached {
				giveBack = a.o.terminal.Leave
			}
			if rerr := giveBack(); rerr != nil {
				a.e.log.Debug("terminal not restored", "err", rerr)
			}
		}()
		_, _ = a.o.terminal.Write(a.enter)
	}
	a.stream = startStream(conn, a.o)
	defer a.stream.close()
	defer a.carryOut(ctx)()
	return a.live(ctx, status)
}

// attachError asks the start call what is wrong: the client loses the
// engine's words when an attach is refused, and Podman finds a command that
// cannot be run here.
func (a *attachment) attachError(ctx context.Context, err error) error {
	if a.start != nil && a.e.quirks().attachInitialises {
		if serr := a.start(ctx); serr != nil {
			return serr
		}
	}
	return a.e.wrap("attach", err)
}

// result is the caller's view of an end.
func result(x exit, outputErr error) (Result, error) {
	switch {
	case errors.Is(outputErr, syscall.EPIPE), errors.Is(outputErr, io.ErrClosedPipe):
		return Result{ExitCode: 128 + 13}, nil // as if SIGPIPE had ended us
	case outputErr != nil && !errors.Is(outputErr, syscall.EIO):
		return failure(fmt.Errorf("write the output: %w", outputErr))
	}
	return Result{ExitCode: x.code}, nil // EIO: the terminal is gone, nobody reads
}

// order has a signal sent, or the container stopped.
func (a *attachment) order(name string) {
	select {
	case a.orders <- name:
	default:
		a.e.log.Debug("too many signals", "dropped", name)
	}
}

// carryOut sends what is ordered, one after the other, apart from the loop
// that must not wait for the engine. stop ends it.
func (a *attachment) carryOut(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	a.orders = make(chan string, 64)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for name := range a.orders {
			a.send(ctx, name)
		}
	}()
	return func() {
		close(a.orders)
		cancel()
		<-done
	}
}

// send tells the engine one order.
func (a *attachment) send(ctx context.Context, name string) {
	var err error
	if name == "stop" {
		err = a.e.Stop(ctx, a.id, stopGrace)
	} else {
		err = a.e.Kill(ctx, a.id, name)
	}
	if err != nil {
		a.e.log.Debug("not delivered", "signal", name, "err", err)
	}
}

// sendPending sends what came before the container ran.
func (a *attachment) sendPending(ctx context.Context) {
	for len(a.signals.C) > 0 {
		a.pending = append(a.pending, term.Name(<-a.signals.C))
	}
	for _, name := range a.pending {
		a.send(ctx, name)
	}
}
