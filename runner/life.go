package runner

import (
	"context"
	"errors"
	"slices"
	"syscall"
	"time"

	"heretic/runner/internal/term"
)

// life is an attachment from the start of the container to its end. Its loop
// is the only one that decides how it ends; each method is what one event does.
type life struct {
	*attachment
	status <-chan exit

	ended    <-chan exit      // status, once it has started
	output   <-chan error     // nil when the output has ended
	hangup   <-chan time.Time // the terminal is gone for long enough
	silence  <-chan time.Time // a terminal's output has ended for long enough
	patience <-chan time.Time // a killed container has had its time

	outputErr  error
	detached   bool // before it had started
	interrupts int  // INT and TERM so far
	stopResize func()

	over bool
	res  Result
	err  error
}

// live starts the container and stays with it.
func (a *attachment) live(ctx context.Context, status <-chan exit) (Result, error) {
	l := &life{attachment: a, status: status, output: a.stream.output, stopResize: func() {}}
	defer func() { l.stopResize() }()
	starting := l.begin(ctx)
	for !l.over {
		select {
		case err := <-starting:
			l.hasStarted(ctx, err)
		case x := <-l.ended:
			l.hasExited(ctx, x)
		case err := <-l.output:
			l.outputEnds(err)
		case end := <-a.stream.input:
			l.inputEnds(end)
		case sig := <-a.signals.C:
			l.signalled(term.Name(sig))
		case <-l.hangup:
			l.tell("stop")
		case <-l.silence:
			l.end(a.lost(ctx, errStreamEnded))
		case <-l.patience:
			l.end(Result{ExitCode: 137}, errors.New("the engine does not report the end of the container, which was killed"))
		}
	}
	return l.res, l.err
}

func (l *life) end(res Result, err error) { l.over, l.res, l.err = true, res, err }

// begin starts the container, unless it runs already.
func (l *life) begin(ctx context.Context) <-chan error {
	starting := make(chan error, 1)
	if l.start == nil {
		starting <- nil
		return starting
	}
	go func() { starting <- l.start(ctx) }()
	return starting
}

func (l *life) hasStarted(ctx context.Context, err error) {
	if err != nil {
		l.end(failure(err))
		return
	}
	l.isStarted, l.ended = true, l.status
	l.stopResize = l.followSize(ctx)
	if l.started != nil {
		l.started()
	}
	for _, name := range l.pending {
		l.order(name)
	}
	if l.detached {
		l.end(Result{Detached: true}, nil)
		return
	}
	if l.output == nil && l.o.tty {
		l.silence = time.After(silenceGrace)
	}
}

func (l *life) hasExited(ctx context.Context, x exit) {
	l.stream.stopInput()
	if x.err != nil {
		l.end(l.lost(ctx, x.err))
		return
	}
	if l.output != nil {
		l.outputErr = l.stream.drain(drainIdle, l.signals.C, l.impatient)
	}
	l.end(result(x, l.outputErr))
}

// outputEnds is called at the end of the output, or when it cannot be written.
func (l *life) outputEnds(err error) {
	l.output, l.outputErr = nil, err
	switch gone := errors.Is(err, syscall.EIO); {
	case err == nil && l.isStarted && l.o.tty:
		l.silence = time.After(silenceGrace)
	case err == nil:
	case l.outlives:
		res, err := result(exit{}, err)
		res.Detached = true
		l.end(res, err)
	case gone:
		l.terminalGone()
	default:
		l.tell("stop")
	}
}

func (l *life) inputEnds(end inputEnd) {
	switch {
	case end == inputDetached && !l.isStarted:
		l.detached = true // as soon as there is something to leave running
	case end == inputDetached, end == inputGone && l.outlives:
		l.end(Result{Detached: true}, nil)
	case end == inputGone:
		l.terminalGone()
	}
}

func (l *life) signalled(name string) {
	if l.outlives && name == "HUP" || l.watches && asksToEnd(name) {
		l.end(Result{Detached: true}, nil)
		return
	}
	if name == "HUP" {
		l.waitAfterHangup()
	}
	if l.impatient(name) {
		name = "KILL"
		if l.patience == nil {
			l.patience = time.After(killGrace)
		}
	}
	l.tell(name)
}

// impatient counts the interrupts and tells whether they are too many to wait
// any longer.
func (l *life) impatient(name string) bool {
	if name == "INT" || name == "TERM" {
		l.interrupts++
		return l.interrupts >= interruptsToKill
	}
	return false
}

func asksToEnd(name string) bool {
	return slices.Contains([]string{"HUP", "INT", "QUIT", "TERM"}, name)
}

// terminalGone is called for each direction that finds it so.
func (l *life) terminalGone() {
	if l.hangup == nil {
		l.waitAfterHangup()
		l.tell("HUP")
	}
}

func (l *life) waitAfterHangup() {
	if l.hangup == nil {
		l.hangup = time.After(hangupGrace)
	}
}

// tell gives the container an order, once it runs.
func (l *life) tell(name string) {
	if l.isStarted {
		l.order(name)
		return
	}
	l.pending = append(l.pending, name)
}
