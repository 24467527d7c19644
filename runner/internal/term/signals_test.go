package term

import (
	"os"
	"syscall"
	"testing"
)

// What every system has; the names of the others are in the tests of Unix.
func TestSignalsOfEverySystem(t *testing.T) {
	for sig, want := range map[os.Signal]struct {
		name   string
		number int
	}{
		os.Interrupt: {"INT", 2}, syscall.SIGTERM: {"TERM", 15},
	} {
		if name, number := Name(sig), Number(sig); name != want.name || number != want.number {
			t.Errorf("%v: %s, %d", sig, name, number)
		}
	}
}

func TestForwardedHaveNames(t *testing.T) {
	seen := map[string]bool{}
	for _, sig := range forwarded() {
		if name := Name(sig); seen[name] || Number(sig) == 0 {
			t.Errorf("%v: %s, %d", sig, name, Number(sig))
		} else {
			seen[name] = true
		}
	}
	if !seen["INT"] || !seen["TERM"] {
		t.Errorf("forwarded: %v", seen)
	}
}

func TestStops(t *testing.T) {
	_, stop := sizeChanges()
	stop()
	onContinue(func() {})()
}

// Without a signal the context has not ended before settle, and has after it.
func TestPreflightEnds(t *testing.T) {
	s := &Signals{C: make(chan os.Signal, 1)}
	pre, settle := s.Preflight(t.Context())
	if pre.Err() != nil {
		t.Error("ended before")
	}
	for range 2 {
		if early, err := settle(); err != nil || len(early) > 0 {
			t.Errorf("got %v, %v", early, err)
		}
	}
	if pre.Err() == nil {
		t.Error("not ended")
	}
}
