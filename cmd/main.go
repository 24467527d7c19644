package cmd

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"heretic/cmd/internal/ui"
)

// Main runs heretic with the arguments after the program's name and returns
// the exit code.
func Main(args []string, stdin, stdout, stderr *os.File) int {
	// heretic waits and copies bytes. With several processors the runtime looks
	// for work on all of them, which costs a fifth of a launch's CPU time.
	runtime.GOMAXPROCS(1)

	app := newApp(ui.NewStreams(stdin, stdout, stderr, os.LookupEnv))
	defer app.close()
	return app.execute(context.Background(), args)
}

// interrupted is the cause of a context that a signal cancelled.
type interrupted struct{ signal syscall.Signal }

func (i interrupted) Error() string { return fmt.Sprintf("interrupted (%s)", i.signal) }

// Unwrap tells those who do not know the cause that it is a cancellation.
func (i interrupted) Unwrap() error { return context.Canceled }

// cancelOnSignal cancels with the first signal that asks heretic to end. The
// second one finds the default action again, unless somebody else listens. An
// interrupt that others tell to be theirs is left alone, and so is what our
// parent had us ignore (nohup).
func cancelOnSignal(parent context.Context, others func() bool) (ctx context.Context, stop func() error) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	go func() {
		for {
			select {
			case s := <-signals:
				if s == syscall.SIGINT && others() {
					continue
				}
				signal.Stop(signals)
				if number, ok := s.(syscall.Signal); ok {
					cancel(interrupted{number})
				}
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() error {
		signal.Stop(signals)
		cancel(nil)
		return nil
	}
}
