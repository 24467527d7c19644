package term

import (
	"os"
	"os/signal"
)

// Signals are the signals that are passed on to the container. They queue
// until they are read.
type Signals struct {
	C    chan os.Signal
	pipe chan os.Signal
}

// Subscribe starts to collect the signals, leaving out those that the caller's
// parent had us ignore (nohup). A write to a closed standard output becomes an
// error instead of the end of the process.
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

// WatchSize calls f with the size of the streams' terminal after each change,
// one call for a burst, until stop is called, which waits for f to return.
func WatchSize(f func(Size), streams ...any) (stop func()) {
	changed, stopChanged := sizeChanges()
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-quit:
				return
			case <-changed:
				if s, ok := SizeOf(streams...); ok {
					f(s)
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
