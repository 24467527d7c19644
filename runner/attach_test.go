//go:build linux

package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"

	"heretic/runner/runnertest/fakeengine"
)

// pitfall 23: attach makes a full-screen program draw, on a screen whose modes
// are those the program has turned on; and it ends with the container.
func TestAttachRedraws(t *testing.T) {
	f := &fakeengine.Engine{}
	var sizes []string
	f.Program = func(p *fakeengine.Process) int {
		_, _ = io.WriteString(p.Out, "\x1b[?1049h\x1b[?1000h\x1b[?1000l\x1b[?2004h")
		for len(sizes) < 2 {
			size := <-p.Sizes
			sizes = append(sizes, size[0]+"x"+size[1])
		}
		_, _ = io.WriteString(p.Out, "frame")
		return 4
	}
	e := connect(t, f)
	id := ""
	if _, err := e.Run(t.Context(), RunOptions{Spec: ttySpec(), Detach: true, Started: func(s string) { id = s }}); err != nil {
		t.Fatal(err)
	}
	s := newScreen(t, 24, 80)
	res, err := e.Attach(t.Context(), id, AttachOptions{Streams: s.streams()})
	if err != nil || res.ExitCode != 4 || res.Detached {
		t.Errorf("got %+v, %v", res, err)
	}
	if want := []string{"25x81", "24x80"}; !slices.Equal(sizes, want) {
		t.Errorf("sizes %q, want %q", sizes, want)
	}
	if q := f.Query("POST wait"); q != "condition=not-running" {
		t.Errorf("waits with %q", q) // the next exit of one that has ended never comes (pitfall 7)
	}
	if q := f.Query("POST attach"); !strings.Contains(q, "detachKeys=ctrl-%5D%2Cd") {
		t.Errorf("the engine was given %q", q) // it would use its own (pitfall 29)
	}
	s.restored(t)
	s.shown.waitFor(t, "\x1b[?1049h\x1b[?2004hframe\x1b[?2004l\x1b[?1049l")
	leaves(t, f, "box")
}

// pitfall 31: who attaches does not own the container: closing the terminal
// leaves it running.
func TestAttachHangupDetaches(t *testing.T) {
	f := &fakeengine.Engine{Program: func(p *fakeengine.Process) int {
		for {
			select {
			case <-p.Sizes:
				_, _ = io.WriteString(p.Out, "frame")
			case <-p.Signals:
				return 0
			}
		}
	}}
	e := connect(t, f)
	id := ""
	if _, err := e.Run(t.Context(), RunOptions{Spec: ttySpec(), Detach: true, Started: func(s string) { id = s }}); err != nil {
		t.Fatal(err)
	}
	s := newScreen(t, 24, 80)
	go func() {
		s.shown.waitFor(t, "frame")
		s.hangUp()
	}()
	res, err := e.Attach(t.Context(), id, AttachOptions{Streams: s.streams()})
	if err != nil || !res.Detached {
		t.Errorf("got %+v, %v", res, err)
	}
	if n := f.Count("POST kill"); n > 0 {
		t.Errorf("%d signals sent", n)
	}
	leaves(t, f, "box")
}

// Who only watches gives no keys: ctrl-c stays the terminal's, and ends the
// watching.
func TestAttachNoStdin(t *testing.T) {
	f := &fakeengine.Engine{Program: func(p *fakeengine.Process) int {
		<-p.Sizes
		_, _ = io.WriteString(p.Out, "frame")
		<-p.Signals
		return 0
	}}
	e := connect(t, f)
	id := ""
	if _, err := e.Run(t.Context(), RunOptions{Spec: ttySpec(), Detach: true, Started: func(s string) { id = s }}); err != nil {
		t.Fatal(err)
	}
	s := newScreen(t, 24, 80)
	go func() {
		s.shown.waitFor(t, "frame")
		if s.raw(t) {
			t.Error("the terminal is raw, and nobody reads it")
		}
		raise(t, syscall.SIGINT) // what ctrl-c does
	}()
	res, err := e.Attach(t.Context(), id, AttachOptions{Streams: s.streams(), NoStdin: true})
	if err != nil || !res.Detached || f.Count("POST kill") > 0 {
		t.Errorf("got %+v, %v, %d signals sent", res, err, f.Count("POST kill"))
	}
	s.restored(t)
	leaves(t, f, "box")
}

// pitfall 32: one cannot attach to what does not run, nor to what ends just
// then, and the engine's state is told.
func TestAttachRefused(t *testing.T) {
	for _, state := range []string{"created", "paused", "exited"} {
		f := &fakeengine.Engine{}
		e := connect(t, f)
		id, err := e.Create(t.Context(), spec())
		if err != nil {
			t.Fatal(err)
		}
		f.State("box", state)
		_, err = e.Attach(t.Context(), id, AttachOptions{Streams: discard()})
		if se, ok := errors.AsType[*StateError](err); !ok || se.State != state {
			t.Errorf("%s: got %v", state, err)
		}
		if n := f.Count("POST attach"); n > 0 {
			t.Errorf("%s: attached", state)
		}
	}
	t.Run("in between", func(t *testing.T) {
		f := &fakeengine.Engine{Program: func(p *fakeengine.Process) int { <-p.Signals; return 0 }}
		f.Handle = func(call string, _ http.ResponseWriter, _ *http.Request) bool {
			if call == "POST wait" {
				f.State("box", "exited")
			}
			return false
		}
		e := connect(t, f)
		id := ""
		if _, err := e.Run(t.Context(), RunOptions{Spec: spec(), Detach: true, Started: func(s string) { id = s }}); err != nil {
			t.Fatal(err)
		}
		_, err := e.Attach(t.Context(), id, AttachOptions{Streams: discard()})
		if _, ok := errors.AsType[*StateError](err); !ok {
			t.Errorf("got %v", err)
		}
	})
	t.Run("no such", func(t *testing.T) {
		e := connect(t, &fakeengine.Engine{})
		if _, err := e.Attach(t.Context(), "x", AttachOptions{Streams: discard()}); !errors.Is(err, ErrNotFound) {
			t.Errorf("got %v", err)
		}
	})
}

// An exec has a terminal, a size, streams and a code of its own.
func TestExec(t *testing.T) {
	f := &fakeengine.Engine{}
	f.Program = func(p *fakeengine.Process) int {
		if len(p.Cmd) > 0 && p.Cmd[0] == "nope" {
			_, _ = io.WriteString(p.Out, "OCI runtime exec failed: exec failed: unable to start container process: exec: \"nope\": executable file not found in $PATH: unknown\r\n")
			return 126
		}
		if len(p.Cmd) > 0 && p.Cmd[0] == "quote" {
			_, _ = io.WriteString(p.Out, "OCI runtime exec failed: is what the log says")
			return 0
		}
		if len(p.Cmd) > 0 && p.Cmd[0] == "prog" {
			<-p.Signals
			return 0
		}
		if p.TTY {
			size := <-p.Sizes
			_, _ = fmt.Fprintf(p.Out, "%sx%s", size[0], size[1])
			return 3
		}
		_, _ = io.WriteString(p.Err, "err")
		_, _ = io.Copy(p.Out, p.In)
		return 4
	}
	f.API = "1.41"
	var asked []byte
	f.Handle = func(call string, _ http.ResponseWriter, r *http.Request) bool {
		if call == "POST exec" {
			asked, _ = io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(asked))
		}
		return false
	}
	e := connect(t, f)
	id := ""
	if _, err := e.Run(t.Context(), RunOptions{Spec: spec(), Detach: true, Started: func(s string) { id = s }}); err != nil {
		t.Fatal(err)
	}
	in, feed := pipe(t)
	_, _ = feed.WriteString("hello")
	feed.Close()
	var out, errs buffer
	code, err := e.Exec(t.Context(), id, ExecOptions{Cmd: []string{"cat"}, Interactive: true, Streams: Streams{In: in, Out: &out, Err: &errs}})
	if err != nil || code != 4 || out.String() != "hello" || errs.String() != "err" {
		t.Errorf("got %d, %v, out %q, err %q", code, err, out.String(), errs.String())
	}
	var said buffer
	code, err = e.Exec(t.Context(), id, ExecOptions{Cmd: []string{"nope"}, Streams: Streams{Out: &said, Err: &said}})
	if err == nil || code != 127 || said.String() != "" || !strings.Contains(err.Error(), "not found") {
		t.Errorf("no such command: got %d, %v, output %q", code, err, said.String())
	}
	code, err = e.Exec(t.Context(), id, ExecOptions{Cmd: []string{"quote"}, Streams: Streams{Out: &said, Err: io.Discard}})
	if err != nil || code != 0 || said.String() != "OCI runtime exec failed: is what the log says" {
		t.Errorf("a command that says so itself: got %d, %v, output %q", code, err, said.String())
	}
	s := newScreen(t, 24, 80)
	code, err = e.Exec(t.Context(), id, ExecOptions{Cmd: []string{"nope"}, TTY: true, Interactive: true, Streams: s.streams()})
	if err == nil || code != 127 {
		t.Errorf("no such command, on a terminal: got %d, %v", code, err)
	}
	code, err = e.Exec(t.Context(), id, ExecOptions{Cmd: []string{"size"}, TTY: true, Interactive: true, Streams: s.streams()})
	if err != nil || code != 3 {
		t.Errorf("got %d, %v", code, err)
	}
	s.shown.waitFor(t, "24x80")
	s.restored(t)
	if !strings.Contains(string(asked), `"DetachKeys":"ctrl-],d"`) {
		t.Errorf("created with %s", asked)
	}

	// pitfall 16: nobody reads it any more.
	r, w := pipe(t)
	r.Close()
	if code, err := e.Exec(t.Context(), id, ExecOptions{Cmd: []string{"cat"}, Streams: Streams{Out: io.Discard, Err: w}}); err != nil || code != 141 {
		t.Errorf("got %d, %v", code, err)
	}

	// pitfall 2: an exec cannot be deleted, so nothing is created in vain.
	before := f.Count("POST exec")
	if _, err := e.Exec(t.Context(), id, ExecOptions{Cmd: []string{"x"}, TTY: true, Interactive: true, Streams: Streams{In: in}}); err == nil {
		t.Error("a terminal without one")
	}
	if _, err := e.Exec(context.Background(), id, ExecOptions{Cmd: []string{"x"}, DetachKeys: "no"}); err == nil {
		t.Error("no keys")
	}
	if f.Count("POST exec") != before {
		t.Error("an exec was created")
	}
}

// Who detaches from an exec has the cursor below what the command has drawn.
func TestExecDetach(t *testing.T) {
	f := &fakeengine.Engine{Program: func(p *fakeengine.Process) int {
		_, _ = io.WriteString(p.Out, "ready\x1b[?2004h")
		<-p.Signals
		return 0
	}}
	e := connect(t, f)
	id := ""
	if _, err := e.Run(t.Context(), RunOptions{Spec: spec(), Detach: true, Started: func(s string) { id = s }}); err != nil {
		t.Fatal(err)
	}
	s := newScreen(t, 24, 80)
	go func() {
		s.shown.waitFor(t, "ready")
		s.typeKeys("\x1dd")
	}()
	code, err := e.Exec(t.Context(), id, ExecOptions{Cmd: []string{"sh"}, TTY: true, Interactive: true, Streams: s.streams()})
	if err != nil || code != 0 {
		t.Errorf("got %d, %v", code, err)
	}
	s.shown.waitFor(t, "ready\x1b[?2004h\x1b[?2004l\r\n\x1b[J")
	s.restored(t)
}
