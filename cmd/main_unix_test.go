//go:build unix

package cmd

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"heretic/cmd/internal/ui"
)

// hear undoes that a signal is ignored; signal.Reset does not.
func hear(sig os.Signal) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, sig)
	signal.Stop(c)
}

// Each signal that asks heretic to end gives the code of that signal.
func TestCancelOnSignal(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		hear(sig)
		ctx, stop := cancelOnSignal(t.Context(), func() bool { return false })
		if err := syscall.Kill(syscall.Getpid(), sig); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Minute):
			t.Fatalf("%v is not heard", sig)
		}
		streams, _, _, _ := ui.Test()
		a := newApp(streams)
		if code := a.report(ctx, context.Cause(ctx), exitFailure); code != exitSignal+int(sig) {
			t.Errorf("%v: code %d", sig, code)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	}
}

// A hangup that our parent had us ignore, as nohup does, stays ignored.
func TestIgnoredSignal(t *testing.T) {
	signal.Ignore(syscall.SIGHUP)
	defer hear(syscall.SIGHUP)
	_, stop := cancelOnSignal(t.Context(), func() bool { return false })
	if !signal.Ignored(syscall.SIGHUP) {
		t.Error("it is heard")
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}
