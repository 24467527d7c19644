package term

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
)

// Signals are the signals that are passed on to the container. They queue
// until they are read.
type Signals struct {
	C    chan os.Signal
	pipe chan os.Signal
}

// Subscribe starts to collect the signals, leaving out those that our parent
// had us ignore (nohup). A write to a closed standard output becomes an error
// instead of the end of the process.
func Subscribe() *Signals {
	s := &Signals{C: make(chan os.Signal, 32), pipe: make(chan os.Signal, 1)}
	for _, sig := range forwarded() {
		if !signal.Ignored(sig) {
			signal.Notify(s.C, sig)
		}
	}
	notifyPipe(s.pipe)
	return s
}

// Stop ends it.
func (s *Signals) Stop() {
	signal.Stop(s.C)
	signal.Stop(s.pipe)
}

// Interrupted is the cause of a context that a signal has ended.
type Interrupted struct{ Signal os.Signal }

func (i Interrupted) Error() string { return fmt.Sprintf("interrupted by SIG%s", Name(i.Signal)) }

// Preflight returns a context that ends, with an Interrupted as its cause, when
// a signal comes that asks us to end: as long as there is no container that
// could get it, it is for us. settle ends this, and the context. It returns the
// other signals that came, or the cause of a context that had ended before.
func (s *Signals) Preflight(ctx context.Context) (pre context.Context, settle func() ([]os.Signal, error)) {
	pre, cancel := context.WithCancelCause(ctx)
	quit, done := make(chan struct{}), make(chan struct{})
	var pending []os.Signal
	take := func(sig os.Signal) {
		switch Name(sig) {
		case "HUP", "INT", "QUIT", "TERM":
			cancel(Interrupted{sig})
		default:
			pending = append(pending, sig)
		}
	}
	go func() {
		defer close(done)
		for {
			select {
			case sig := <-s.C:
				take(sig)
			case <-quit:
				return
			}
		}
	}()
	return pre, sync.OnceValues(func() ([]os.Signal, error) {
		close(quit)
		<-done
		for len(s.C) > 0 {
			take(<-s.C)
		}
		err := context.Cause(pre)
		cancel(nil)
		return pending, err
	})
}

// WatchSize calls f with the size of the streams' terminal after each change,
// one call for a burst, until stop is called, which waits for f to return.
func WatchSize(f func(Size), streams ...any) (stop func()) {
	changed, stopChanged := sizeChanges()
	quit, done := make(chan struct{}), make(chan struct{})
	last, _ := SizeOf(streams...)
	go func() {
		defer close(done)
		for {
			select {
			case <-quit:
				return
			case <-changed:
				if s, ok := SizeOf(streams...); ok && s != last {
					f(s)
					last = s
				}
			}
		}
	}()
	return func() {
		stopChanged()
		close(quit)
		<-done
	}
}
