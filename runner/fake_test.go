//go:build !windows

package runner

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"heretic/runner/runnertest/fakeengine"
)

// connect connects to a fake engine and checks, after the test, that every
// goroutine has ended and no container is left (pitfalls 1, 17, 22).
func connect(t *testing.T, f *fakeengine.Engine) *Engine {
	t.Helper()
	return connectFrom(t, f, t.TempDir())
}

func connectFrom(t *testing.T, f *fakeengine.Engine, home string) *Engine {
	t.Helper()
	// A signal that a test raises must not end the test; the goroutine that
	// this starts stays for good.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGUSR1)
	t.Cleanup(func() { signal.Stop(caught) })
	before := runtime.NumGoroutine()
	f.Start(t)
	e, err := Connect(t.Context(), ConnectOptions{
		Home: home,
		Lookup: func(name string) (string, bool) {
			if name == "DOCKER_HOST" {
				return "unix://" + f.Socket, true
			}
			return "", false
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		e.Close()
		f.Close()
		for deadline := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				buf := make([]byte, 1<<20)
				t.Fatalf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), buf[:runtime.Stack(buf, true)])
			}
		}
	})
	return e
}

// leaves fails unless exactly these containers are there.
func leaves(t *testing.T, f *fakeengine.Engine, names ...string) {
	t.Helper()
	if got := f.Left(); len(got) != len(names) || strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("containers left: %q, want %q", got, names)
	}
}

// buffer may be written and read concurrently.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// waitFor blocks until text has been written.
func (b *buffer) waitFor(t *testing.T, text string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !strings.Contains(b.String(), text); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no %q in the output: %q", text, b.String())
		}
	}
}

// pipe returns a standard input that is a pipe, as a shell makes it.
func pipe(t *testing.T) (in, feed *os.File) {
	t.Helper()
	in, feed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); feed.Close() })
	return in, feed
}

func discard() Streams { return Streams{Out: io.Discard, Err: io.Discard} }

func textLog(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }
