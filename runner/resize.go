package runner

import (
	"context"
	"time"

	"github.com/docker/docker/api/types/container"

	"heretic/runner/internal/term"
)

// followSize gives the container's terminal our size, now where it does not
// have it and after each change.
func (a *attachment) followSize(ctx context.Context) (stop func()) {
	if !a.o.tty {
		return func() {}
	}
	return a.e.follow(ctx, a.o.streams, a.size, func(ctx context.Context, s term.Size) error {
		return a.e.docker.ContainerResize(ctx, a.id, container.ResizeOptions{Height: s.Rows, Width: s.Cols})
	})
}

// follow calls resize with the size of the terminal: now, unless it is known
// already, and after each change. The first call is repeated, because the
// process may not be there yet.
func (e *Engine) follow(ctx context.Context, s Streams, known term.Size, resize func(context.Context, term.Size) error) (stop func()) {
	if e.quirks().losesSizes {
		resize = twice(resize)
	}
	ctx, cancel := context.WithCancel(ctx)
	first := make(chan struct{})
	go func() {
		defer close(first)
		retry(ctx, func() error {
			now, ok := term.SizeOf(s.Out, s.In)
			if !ok || now == known {
				return nil
			}
			return resize(ctx, now)
		})
	}()
	stopWatch := term.WatchSize(func(now term.Size) {
		<-first
		_ = resize(ctx, now) // it has ended, or the next change comes
	}, s.Out, s.In)
	return func() {
		cancel()
		stopWatch()
		<-first
	}
}

// twice sets each size once more a moment later.
func twice(resize func(context.Context, term.Size) error) func(context.Context, term.Size) error {
	return func(ctx context.Context, s term.Size) error {
		if err := resize(ctx, s); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(sizeTime):
			return resize(ctx, s)
		}
	}
}

// sizeTime is more than an engine takes to set a size.
const sizeTime = 200 * time.Millisecond

// retry calls f until it succeeds, ten times in half a second.
func retry(ctx context.Context, f func() error) {
	for i := range 10 {
		if f() == nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Duration(i+1) * 10 * time.Millisecond):
		}
	}
}
