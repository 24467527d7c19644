//go:build unix && !darwin

package keychain

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"testing"
)

// TestBusThatSaysNothing stands for whatever takes a call and never answers.
func TestBusThatSaysNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bus")
	bus, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer bus.Close()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+path)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for range 2 { // the look whether a bus is there, and the call
			conn, err := bus.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = conn.Close() })
		}
	}()
	if _, err := Get(ctx, "NAME"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestNoBusIsStarted(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(t.TempDir(), "none"))
	for name, call := range map[string]func() error{
		"get":    func() error { _, err := Get(t.Context(), "NAME"); return err },
		"set":    func() error { return Set(t.Context(), "NAME", "value") },
		"delete": func() error { return Delete(t.Context(), "NAME") },
		"check":  func() error { return Check(t.Context(), "NAME") },
	} {
		if err := call(); err == nil || errors.Is(err, ErrNotFound) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
