//go:build !windows

package term

import (
	"os"
	"os/signal"
	"syscall"
)

func forwarded() []os.Signal {
	return []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2}
}

func notifyPipe(c chan os.Signal) { signal.Notify(c, syscall.SIGPIPE) }

// Name returns the signal's name as the engine takes it.
func Name(sig os.Signal) string {
	switch sig {
	case syscall.SIGHUP:
		return "HUP"
	case syscall.SIGINT:
		return "INT"
	case syscall.SIGQUIT:
		return "QUIT"
	case syscall.SIGUSR1:
		return "USR1"
	case syscall.SIGUSR2:
		return "USR2"
	}
	return "TERM"
}

// Number returns n of the exit code 128+n.
func Number(sig os.Signal) int {
	if s, ok := sig.(syscall.Signal); ok {
		return int(s)
	}
	return 0
}

func sizeChanges() (<-chan os.Signal, func()) {
	c := make(chan os.Signal, 1)
	// A process in the background hears of no change until it continues.
	signal.Notify(c, syscall.SIGWINCH, syscall.SIGCONT)
	return c, func() { signal.Stop(c) }
}

// onContinue calls f after each continue, until stop is called, which waits
// for f to return.
func onContinue(f func()) (stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGCONT)
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-quit:
				return
			case <-c:
				f()
			}
		}
	}()
	return func() {
		signal.Stop(c)
		close(quit)
		<-done
	}
}
