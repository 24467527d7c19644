//go:build linux

package runner

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"heretic/runner/runnertest"
)

// engine connects to the engine of the tests and returns a Spec for a
// container that is gone after the test.
func engine(t *testing.T) (*Engine, Spec) {
	t.Helper()
	runnertest.Engine(t)
	image := runnertest.Image(t)
	e, err := Connect(t.Context(), ConnectOptions{Lookup: os.LookupEnv, Home: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("heretic-test-runner-%d-%d", os.Getpid(), time.Now().UnixNano())
	t.Cleanup(func() {
		defer e.Close()
		list, err := e.List(context.Background(), map[string]string{"heretic-test-name": name}, true)
		if err != nil {
			t.Error(err)
		}
		for _, c := range list {
			if err := e.Remove(context.Background(), c.ID); err != nil {
				t.Error(err)
			}
		}
	})
	return e, Spec{Name: name, Image: image, Network: "none", Labels: map[string]string{"heretic-test-name": name}}
}

// there tells how many containers of the test there are.
func there(t *testing.T, e *Engine, s Spec) int {
	t.Helper()
	list, err := e.List(t.Context(), s.Labels, true)
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func TestEngineExitCodes(t *testing.T) {
	for _, tt := range []struct {
		name       string
		entrypoint []string
		cmd        []string
		code       int
	}{
		{"own", nil, []string{"exit", "7"}, 7},
		{"killed", nil, []string{"die", "SIGKILL"}, 137},
		{"not found", []string{"/nope"}, nil, 127},
		{"not executable", []string{"/etc/passwd"}, nil, 126},
		{"a directory", []string{"/home"}, nil, 126},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, s := engine(t)
			s.Entrypoint, s.Cmd = tt.entrypoint, tt.cmd
			res, err := e.Run(t.Context(), RunOptions{Spec: s, Streams: discard()})
			_, failed := errors.AsType[*StartError](err)
			if res.ExitCode != tt.code || failed != (tt.entrypoint != nil) {
				t.Errorf("got %+v, %v; want %d", res, err, tt.code)
			}
			if n := there(t, e, s); n != 0 {
				t.Errorf("%d containers left", n)
			}
		})
	}
}

// pitfall 12, 13, 15: both streams whole and apart, input to its end, 100 MB
// compared by hash, through a pipe whose reader is slow at first.
func TestEngineStreams(t *testing.T) {
	e, s := engine(t)
	s.Cmd = []string{"out", "to out\n", "to err\n"}
	var out, errs buffer
	if res, err := e.Run(t.Context(), RunOptions{Spec: s, Streams: Streams{Out: &out, Err: &errs}}); err != nil || res.ExitCode != 0 {
		t.Fatalf("got %+v, %v", res, err)
	}
	if strings.TrimSpace(out.String()) != "to out" || strings.TrimSpace(errs.String()) != "to err" {
		t.Errorf("out %q, err %q", out.String(), errs.String())
	}

	const size = 100 << 20
	r, w := pipe(t)
	down := make(chan string)
	go func() {
		time.Sleep(time.Second)
		h := sha256.New()
		n, err := io.Copy(h, r)
		down <- fmt.Sprintf("%d %x %v", n, h.Sum(nil), err)
	}()
	s.Cmd = []string{"burst", "100", "5"}
	if res, err := e.Run(t.Context(), RunOptions{Spec: s, Streams: Streams{Out: w, Err: io.Discard}}); err != nil || res.ExitCode != 0 {
		t.Fatalf("got %+v, %v", res, err)
	}
	w.Close()
	first := <-down
	if !strings.HasPrefix(first, fmt.Sprint(size)) {
		t.Fatalf("got %s", first)
	}

	// The same bytes through the other direction: the program hashes them.
	s.Cmd, s.Interactive = []string{"burst", "100", "5"}, false
	r2, w2 := pipe(t)
	in, feed := r2, w2
	up := s
	up.Name, up.Cmd, up.Interactive = s.Name+"-up", []string{"hash"}, true
	done := make(chan error, 1)
	go func() {
		_, err := e.Run(t.Context(), RunOptions{Spec: s, Streams: Streams{Out: feed, Err: io.Discard}})
		feed.Close()
		done <- err
	}()
	out = buffer{}
	res, err := e.Run(t.Context(), RunOptions{Spec: up, Streams: Streams{In: in, Out: &out, Err: io.Discard}})
	if err != nil || res.ExitCode != 0 || <-done != nil {
		t.Fatalf("got %+v, %v", res, err)
	}
	if hash := strings.Fields(first)[1]; !strings.Contains(out.String(), hash) || !strings.Contains(out.String(), fmt.Sprint(size)) {
		t.Errorf("down %s, up %s", first, out.String())
	}
}

// pitfall 16: `heretic run … | head` ends, and so does the container.
func TestEngineBrokenPipe(t *testing.T) {
	e, s := engine(t)
	s.Cmd = []string{"burst", "1000"}
	r, w := pipe(t)
	go func() {
		_, _ = io.CopyN(io.Discard, r, 1000)
		r.Close()
	}()
	res, err := e.Run(t.Context(), RunOptions{Spec: s, Streams: Streams{Out: w, Err: io.Discard}})
	if err != nil || res.ExitCode != 141 {
		t.Errorf("got %+v, %v", res, err)
	}
	if n := there(t, e, s); n != 0 {
		t.Errorf("%d containers left", n)
	}
}

// pitfall 24, 25: real signals to a real program.
func TestEngineSignals(t *testing.T) {
	e, s := engine(t)
	s.Cmd = []string{"signals", "3"}
	var out buffer
	go func() {
		out.waitFor(t, "ready")
		for _, sig := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGHUP, syscall.SIGTERM} {
			raise(t, sig)
			time.Sleep(200 * time.Millisecond) // equal or other signals may overtake
		}
	}()
	res, err := e.Run(t.Context(), RunOptions{Spec: s, Streams: Streams{Out: &out, Err: io.Discard}})
	if err != nil || res.ExitCode != 0 {
		t.Errorf("got %+v, %v", res, err)
	}
	text := strings.ToUpper(out.String())
	if !strings.Contains(text, "USER DEFINED SIGNAL 1") && !strings.Contains(text, "USR1") {
		t.Errorf("the program got %q", out.String())
	}
}

// The third interrupt kills a program that is deaf to them (pitfall 28).
func TestEngineThirdInterrupt(t *testing.T) {
	e, s := engine(t)
	s.Cmd = []string{"ignore", "60"}
	var out buffer
	ended, raised := make(chan struct{}), make(chan struct{})
	heard := make(chan os.Signal, 1) // one that comes after the end must not be ours
	signal.Notify(heard, syscall.SIGINT)
	defer signal.Stop(heard)
	go func() {
		defer close(raised)
		out.waitFor(t, "ready")
		for { // two that come at once are one
			raise(t, syscall.SIGINT)
			select {
			case <-ended:
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	res, err := e.Run(t.Context(), RunOptions{Spec: s, Streams: Streams{Out: &out, Err: io.Discard}})
	close(ended)
	<-raised
	if err != nil || res.ExitCode != 137 {
		t.Errorf("got %+v, %v", res, err)
	}
}

// pitfall 21, 23, 29, 31: a full-screen program on a terminal: the size of the
// first frame, a resize, every key, detach, attach with a redraw, the end, and
// the terminal as it was.
func TestEngineTerminal(t *testing.T) {
	e, s := engine(t)
	s.Cmd, s.TTY, s.Interactive = []string{"screen"}, true, true
	if _, err := e.Info(t.Context()); err != nil { // quirks are known from now on
		t.Fatal(err)
	}
	scr := newScreen(t, 30, 100)
	id := ""
	go func() {
		if e.quirks().consoleSize {
			scr.shown.waitFor(t, "frame 1 size 30x100")
		}
		scr.shown.waitFor(t, "size 30x100")
		scr.resize(t, 40, 120)
		raise(t, syscall.SIGWINCH)
		scr.shown.waitFor(t, "size 40x120")
		scr.typeKeys("k\x1d")
		scr.typeKeys("x")
		scr.shown.waitFor(t, `key 'x'`)
		scr.typeKeys("\x1dd")
	}()
	res, err := e.Run(t.Context(), RunOptions{Spec: s, Streams: scr.streams(), Started: func(s string) { id = s }})
	if err != nil || !res.Detached {
		t.Fatalf("got %+v, %v", res, err)
	}
	scr.restored(t)
	scr.shown.waitFor(t, "\x1b[?25h\x1b[?1049l\r\n\x1b[J")

	// Not `size`: engines before API 1.42 know the size only after the start.
	inside := newScreen(t, 40, 120)
	go func() {
		inside.shown.waitFor(t, "size 40x120")
		inside.typeKeys("q")
	}()
	code, err := e.Exec(t.Context(), id, ExecOptions{Cmd: []string{"/bin/agent", "screen"}, TTY: true, Interactive: true, Streams: inside.streams()})
	if err != nil || code != 0 {
		t.Errorf("exec: %d, %v", code, err)
	}
	inside.restored(t)

	again := newScreen(t, 40, 120)
	go func() {
		again.shown.waitFor(t, "size 40x120")
		again.typeKeys("q")
	}()
	res, err = e.Attach(t.Context(), id, AttachOptions{Streams: again.streams()})
	if err != nil || res.Detached || res.ExitCode != 0 {
		t.Errorf("got %+v, %v", res, err)
	}
	again.restored(t)
	if _, err = e.Attach(t.Context(), id, AttachOptions{Streams: again.streams()}); err == nil {
		t.Error("attached to one that has ended")
	}
}

// pitfall 19: a program that is killed with everything on.
func TestEngineKilledProgram(t *testing.T) {
	e, s := engine(t)
	s.Cmd, s.TTY, s.Interactive = []string{"modes"}, true, true
	scr := newScreen(t, 24, 80)
	res, err := e.Run(t.Context(), RunOptions{Spec: s, Streams: scr.streams()})
	if err != nil || res.ExitCode != 137 {
		t.Errorf("got %+v, %v", res, err)
	}
	scr.restored(t)
	for _, off := range []string{"\x1b[?1049l", "\x1b[?1000l", "\x1b[?1003l", "\x1b[?1006l", "\x1b[?2004l", "\x1b[?1004l", "\x1b[<1u", "\x1b[?1l", "\x1b>", "\x1b[?25h"} {
		if !strings.Contains(scr.shown.String(), off) {
			t.Errorf("%q is left on", off)
		}
	}
}

// pitfall 37: the source of a bind is looked for before the engine can make a
// directory of it. The mounts arrive as they were asked for.
func TestEngineMounts(t *testing.T) {
	e, s := engine(t)
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing.json")
	s.Mounts = []Mount{{Type: Bind, Source: missing, Target: "/x.json"}}
	if _, err := e.Run(t.Context(), RunOptions{Spec: s, Streams: discard()}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("the source was made")
	}
	file, quoted := filepath.Join(dir, "a:b c.json"), filepath.Join(dir, "a,b:c \"d\".json")
	for _, path := range []string{file, quoted} {
		if err := os.WriteFile(path, []byte("content"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := e.Info(t.Context()); err != nil { // the quirks are known once it has answered
		t.Fatal(err)
	}
	if !e.quirks().mountsAreCSV {
		file = quoted
	} else {
		s.Mounts = []Mount{{Type: Bind, Source: quoted, Target: "/x.json"}}
		_, err := e.Run(t.Context(), RunOptions{Spec: s, Streams: discard()})
		if _, refused := errors.AsType[*specError](err); !refused {
			t.Errorf("a quote: got %v", err)
		}
	}
	s.Mounts = []Mount{
		{Type: Bind, Source: file, Target: "/x.json", ReadOnly: true},
		{Type: Tmpfs, Target: "/empty", ReadOnly: true},
	}
	s.Cmd = []string{"run", "cat", "/x.json", "--", "tree", "/empty", "--", "write", "/x.json", "no"}
	var out buffer
	res, err := e.Run(t.Context(), RunOptions{Spec: s, Streams: Streams{Out: &out, Err: io.Discard}})
	if err != nil || res.ExitCode == 0 || !strings.HasPrefix(out.String(), "content") {
		t.Errorf("got %+v, %v, %q", res, err, out.String())
	}
}

// Files go in before the start, with their owners, and come out.
func TestEngineCopy(t *testing.T) {
	e, s := engine(t)
	s.Cmd = []string{"stat", "/home/agent/f"}
	var archive bytes.Buffer
	tw := tar.NewWriter(&archive)
	if err := errors.Join(
		tw.WriteHeader(&tar.Header{Name: "f", Mode: 0o600, Uid: 1000, Gid: 1000, Size: 2}),
		func() error { _, err := tw.Write([]byte("hi")); return err }(), tw.Close()); err != nil {
		t.Fatal(err)
	}
	var out buffer
	var back []byte
	_, err := e.Run(t.Context(), RunOptions{
		Spec: s, Streams: Streams{Out: &out, Err: &out},
		Prepare: func(ctx context.Context, id string) error { return e.CopyTo(ctx, id, "/home/agent", &archive) },
		Exited: func(ctx context.Context, id string, _ int) {
			r, err := e.CopyFrom(ctx, id, "/home/agent/f")
			if err != nil {
				t.Error(err)
				return
			}
			defer r.Close()
			tr := tar.NewReader(r)
			if _, err := tr.Next(); err != nil {
				t.Error(err)
			}
			back, _ = io.ReadAll(tr)
		},
	})
	if err != nil || !strings.Contains(out.String(), "file 0600 1000 1000 2 /home/agent/f") || string(back) != "hi" {
		t.Errorf("got %v, %q, back %q", err, out.String(), back)
	}
	if _, err := e.CopyFrom(t.Context(), s.Name, "/f"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

// The life of a detached container: list, logs, a taken name, stop, and
// removal by two at once (pitfall 9).
func TestEngineLife(t *testing.T) {
	e, s := engine(t)
	s.Cmd = []string{"sleep", "60"}
	id := ""
	res, err := e.Run(t.Context(), RunOptions{Spec: s, Detach: true, Streams: discard(), Started: func(s string) { id = s }})
	if err != nil || !res.Detached {
		t.Fatalf("got %+v, %v", res, err)
	}
	list, err := e.List(t.Context(), s.Labels, false)
	if err != nil || len(list) != 1 || list[0].ID != id || list[0].Name != s.Name || !list[0].Live() || time.Since(list[0].Created) > time.Minute {
		t.Errorf("got %+v, %v", list, err)
	}
	var out buffer
	follow, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = e.Logs(follow, id, LogsOptions{Follow: true, Out: &out, Err: io.Discard})
	}()
	out.waitFor(t, "ready")
	cancel()
	<-done
	if _, err := e.Run(t.Context(), RunOptions{Spec: s, Streams: discard()}); err == nil {
		t.Error("a second one of the same name")
	} else if _, ok := errors.AsType[*NameConflictError](err); !ok {
		t.Errorf("got %v", err)
	}
	if err := e.Stop(t.Context(), id, 5*time.Second); err != nil {
		t.Error(err)
	}
	if err := e.Stop(t.Context(), id, 5*time.Second); err != nil {
		t.Errorf("a second time: %v", err)
	}
	if code, err := e.Wait(t.Context(), id); err != nil || code != 143 {
		t.Errorf("code %d, %v", code, err)
	}
	if list, err = e.List(t.Context(), s.Labels, true); err != nil || len(list) != 1 || list[0].Live() || list[0].ExitCode != 143 {
		t.Errorf("got %+v, %v", list, err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := e.Remove(context.Background(), id); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := there(t, e, s); n != 0 {
		t.Errorf("%d containers left", n)
	}
	for what, err := range map[string]error{
		"stop": e.Stop(t.Context(), id, 0), "kill": e.Kill(t.Context(), id, "TERM"), "logs": e.Logs(t.Context(), id, LogsOptions{}),
	} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: got %v", what, err)
		}
	}
}

// An image that is not there and may not be pulled; and what is known of one
// that is.
func TestEngineImage(t *testing.T) {
	e, s := engine(t)
	info, err := e.Image(t.Context(), s.Image)
	if err != nil || info.ID == "" || info.OS != "linux" || len(info.Entrypoint) != 1 {
		t.Errorf("got %+v, %v", info, err)
	}
	s.Image = "heretic-test/none:1"
	if _, err := e.Image(t.Context(), s.Image); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
	res, err := e.Run(t.Context(), RunOptions{Spec: s, Pull: "never", Streams: discard()})
	if ie, ok := errors.AsType[*ImageError](err); !ok || ie.Hint() == "" || res.ExitCode != 125 || !errors.Is(err, ErrNotFound) {
		t.Errorf("got %+v, %v", res, err)
	}
	if i, err := e.Info(t.Context()); err != nil || i.Name == "" || i.Version == "" || i.API == "" || i.Why != "DOCKER_HOST" {
		t.Errorf("got %+v, %v", i, err)
	}
}
