package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"

	"heretic/runner/internal/term"
)

// exit is how a container ended, or why that is not known.
type exit struct {
	code int
	err  error
}

// watch registers for the end of a container and returns once the engine has
// acknowledged that. The end of ctx ends it.
func (e *Engine) watch(ctx context.Context, id string, cond container.WaitCondition) (<-chan exit, error) {
	status, errs := e.docker.ContainerWait(ctx, id, cond)
	select {
	case err := <-errs:
		return nil, e.wrap("wait for the container", err)
	default:
	}
	c := make(chan exit, 1)
	go func() {
		// The client always sends one value, also when ctx ends.
		select {
		case s := <-status:
			x := exit{code: int(s.StatusCode)}
			if s.Error != nil && s.Error.Message != "" {
				x.err = errors.New(s.Error.Message)
			}
			c <- x
		case err := <-errs:
			c <- exit{err: err}
		}
	}()
	return c, nil
}

// Wait returns the exit code of a container once it does not run.
func (e *Engine) Wait(ctx context.Context, id string) (int, error) {
	return e.wait(ctx, id, container.WaitConditionNotRunning)
}

func (e *Engine) wait(ctx context.Context, id string, cond container.WaitCondition) (int, error) {
	if _, err := e.api(ctx); err != nil {
		return 125, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c, err := e.watch(ctx, id, cond)
	if err != nil {
		return 125, err
	}
	x := <-c
	return x.code, e.wrap("wait for the container", x.err)
}

// awaitListed returns when the engine also lists a container as ended, or after
// half a second: Docker 28 reports the end before its list has it, and whoever
// decides by the list would take the container for live.
func (e *Engine) awaitListed(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	retry(ctx, func() error {
		list, err := e.docker.ContainerList(ctx, container.ListOptions{
			Filters: filters.NewArgs(filters.Arg("id", id), filters.Arg("status", "running")),
		})
		if err == nil && len(list) > 0 {
			return errStillListed
		}
		return nil
	})
}

// listTime is what an engine that answers no more has for it.
const listTime = 5 * time.Second

var errStillListed = errors.New("still listed as running")

// lostFor is how long Run looks for an engine that went away: as long as one
// that is restarted takes.
const lostFor = 10 * time.Second

// LostError is returned when the connection to the engine ended before the
// container did. The container may still run: Result.Detached is set.
type LostError struct{ Err error }

func (e *LostError) Error() string {
	return fmt.Sprintf("the connection to the engine was lost: %v", e.Err)
}

// Unwrap returns the cause.
func (e *LostError) Unwrap() error { return e.Err }

// Hint says what to do about it.
func (e *LostError) Hint() string {
	return "`heretic ps` tells whether the agent still runs, `heretic attach` goes back to it"
}

// lost looks for a container whose engine has stopped talking to us: a restart
// of the engine ends most containers, and then the code can still be told.
func (a *attachment) lost(ctx context.Context, cause error) (Result, error) {
	a.stream.close()
	_ = a.o.terminal.Restore()
	ctx, cancel := context.WithTimeout(ctx, lostFor)
	defer cancel()
	for {
		c, err := a.e.docker.ContainerInspect(ctx, a.id)
		if err == nil && c.State != nil && !c.State.Running && !c.State.Restarting {
			return Result{ExitCode: c.State.ExitCode}, nil
		}
		if err == nil || errors.Is(a.e.wrap("", err), ErrNotFound) {
			break // it runs on, or somebody has removed it
		}
		select {
		case sig := <-a.signals.C:
			return Result{ExitCode: 128 + term.Number(sig), Detached: true}, &LostError{cause}
		case <-ctx.Done():
			return Result{ExitCode: 125, Detached: true}, &LostError{cause}
		case <-time.After(250 * time.Millisecond):
		}
	}
	return Result{ExitCode: 125, Detached: true}, &LostError{cause}
}
