//go:build !windows

package term

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"testing"
)

// A signal that our parent had us ignore, as nohup does, stays ignored.
func TestSubscribeLeavesIgnored(t *testing.T) {
	signal.Ignore(syscall.SIGHUP)
	defer func() { // signal.Reset does not undo it
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGHUP)
		signal.Stop(c)
	}()
	s := Subscribe()
	defer s.Stop()
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGUSR1} {
		if err := syscall.Kill(syscall.Getpid(), sig); err != nil {
			t.Fatal(err)
		}
	}
	if sig := <-s.C; sig != syscall.SIGUSR1 {
		t.Errorf("got %v", sig)
	}
}

// Each signal that came in time counts, however many there are.
func TestPreflight(t *testing.T) {
	for range 100 {
		s := &Signals{C: make(chan os.Signal, 4)}
		pre, settle := s.Preflight(t.Context())
		for range 3 {
			s.C <- syscall.SIGUSR1
		}
		s.C <- os.Interrupt
		early, err := settle()
		if !errors.Is(err, Interrupted{os.Interrupt}) {
			t.Fatalf("got %v", err)
		}
		if want := []os.Signal{syscall.SIGUSR1, syscall.SIGUSR1, syscall.SIGUSR1}; !slices.Equal(early, want) {
			t.Fatalf("others: %v", early)
		}
		if cause := context.Cause(pre); !errors.Is(cause, Interrupted{os.Interrupt}) {
			t.Fatalf("cause %v", cause)
		}
	}
}
