//go:build linux

package runner

import (
	"context"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"heretic/runner/internal/term"
	"heretic/runner/runnertest/fakeengine"
)

// screen is a terminal: what is typed goes to keys, what is shown comes to
// shown.
type screen struct {
	tty, keys *os.File
	shown     buffer
	before    unix.Termios
	hangUp    func() // takes the terminal away
}

func newScreen(t *testing.T, rows, cols uint16) *screen {
	t.Helper()
	keys, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{tty: tty, keys: keys}
	s.resize(t, rows, cols)
	s.before = s.modes(t)
	in, done := term.NewInput(keys), make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(&s.shown, in.Reader)
	}()
	s.hangUp = sync.OnceFunc(func() {
		in.Stop()
		<-done
		in.Close()
		keys.Close()
	})
	t.Cleanup(func() { s.hangUp(); tty.Close() })
	return s
}

func (s *screen) resize(t *testing.T, rows, cols uint16) {
	t.Helper()
	if err := pty.Setsize(s.keys, &pty.Winsize{Rows: rows, Cols: cols}); err != nil {
		t.Fatal(err)
	}
}

func (s *screen) modes(t *testing.T) unix.Termios {
	t.Helper()
	conn, err := s.tty.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var modes *unix.Termios
	if cerr := conn.Control(func(fd uintptr) { modes, err = unix.IoctlGetTermios(int(fd), unix.TCGETS) }); cerr != nil || err != nil {
		t.Fatal(cerr, err)
	}
	return *modes
}

func (s *screen) raw(t *testing.T) bool { return s.modes(t).Lflag&unix.ICANON == 0 }

// restored fails unless the terminal has its own mode back.
func (s *screen) restored(t *testing.T) {
	t.Helper()
	if got := s.modes(t); got != s.before {
		t.Errorf("the terminal is left in another mode: %+v, was %+v", got, s.before)
	}
}

func (s *screen) streams() Streams { return Streams{In: s.tty, Out: s.tty, Err: s.tty} }

func (s *screen) typeKeys(keys string) { _, _ = io.WriteString(s.keys, keys) }

func ttySpec() Spec {
	s := spec()
	s.TTY, s.Interactive = true, true
	return s
}

// pitfall 21: the size of the first frame, by engine: given at create and
// nothing more where the engine honours it, a resize right after the start
// elsewhere. It follows changes, one call for a burst (pitfall 22).
func TestSize(t *testing.T) {
	for _, tt := range []struct {
		api, server string
		atStart     []string
	}{
		{"1.51", "", nil},
		{"1.42", "", nil},
		{"1.41", "", []string{"30x100"}},
		{"1.41", "Libpod/4.3.1 (linux)", []string{"30x100", "30x100"}}, // see quirks.losesSizes
	} {
		t.Run(tt.api+tt.server, func(t *testing.T) {
			var got []string
			f := &fakeengine.Engine{API: tt.api, Server: tt.server}
			f.Program = func(p *fakeengine.Process) int {
				_, _ = io.WriteString(p.Out, "ready")
				for {
					size := <-p.Sizes
					got = append(got, size[0]+"x"+size[1])
					if size[0] != "40" {
						continue
					}
					time.Sleep(50 * time.Millisecond) // for one that should not be
					if n := len(p.Sizes); n > 0 {
						t.Errorf("the size was set %d times more", n)
					}
					return 0
				}
			}
			e := connect(t, f)
			s := newScreen(t, 30, 100)
			go func() {
				s.shown.waitFor(t, "ready")
				if len(tt.atStart) > 0 {
					f.WaitFor(t, "POST resize", 1)
				}
				time.Sleep(20 * time.Millisecond) // for a resize that should not be
				s.resize(t, 40, 120)
				for range 20 {
					raise(t, syscall.SIGWINCH)
				}
			}()
			if _, err := e.Run(t.Context(), RunOptions{Spec: ttySpec(), Streams: s.streams()}); err != nil {
				t.Fatal(err)
			}
			if want := append(tt.atStart, "40x120"); !slices.Equal(got, want) {
				t.Errorf("sizes %q, want %q", got, want)
			}
			if body := string(f.Created("box")); !strings.Contains(body, `"ConsoleSize":[30,100]`) {
				t.Errorf("created with %s", body)
			}
			s.restored(t)
		})
	}
}

// After a stop and a continue the shell has set its own mode, and the window
// may have another size: both are put right, and the mode is restored at the end.
func TestContinue(t *testing.T) {
	checked := make(chan struct{})
	f := &fakeengine.Engine{API: "1.42", Program: func(p *fakeengine.Process) int {
		_, _ = io.WriteString(p.Out, "ready")
		if size := <-p.Sizes; size[0] != "40" {
			t.Errorf("size %q", size)
		}
		<-checked
		return 0
	}}
	e := connect(t, f)
	s := newScreen(t, 30, 100)
	go func() {
		defer close(checked)
		s.shown.waitFor(t, "ready")
		if !s.raw(t) {
			t.Error("not raw before")
		}
		conn, err := s.tty.SyscallConn()
		if err == nil {
			err = conn.Control(func(fd uintptr) {
				if err := unix.IoctlSetTermios(int(fd), unix.TCSETS, &s.before); err != nil {
					t.Error(err)
				}
			})
		}
		if err != nil {
			t.Error(err)
		}
		s.resize(t, 40, 120)
		raise(t, syscall.SIGCONT)
		f.WaitFor(t, "POST resize", 1)
		for range 3000 {
			if s.raw(t) {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Error("not raw again")
	}()
	if _, err := e.Run(t.Context(), RunOptions{Spec: ttySpec(), Streams: s.streams()}); err != nil {
		t.Fatal(err)
	}
	s.restored(t)
}

// pitfall 21: a size with a zero in it is no size.
func TestSizeZero(t *testing.T) {
	f := &fakeengine.Engine{API: "1.41", Program: func(*fakeengine.Process) int { time.Sleep(50 * time.Millisecond); return 0 }}
	e := connect(t, f)
	s := newScreen(t, 0, 80)
	if _, err := e.Run(t.Context(), RunOptions{Spec: ttySpec(), Streams: s.streams()}); err != nil {
		t.Fatal(err)
	}
	if n := f.Count("POST resize"); n != 0 {
		t.Errorf("%d resizes", n)
	}
}

// pitfall 21: the process may not be there yet when the start call returns.
func TestSizeRetry(t *testing.T) {
	f := &fakeengine.Engine{API: "1.41", Program: func(p *fakeengine.Process) int { <-p.Sizes; return 0 }}
	refused := 0
	f.Handle = func(call string, w http.ResponseWriter, _ *http.Request) bool {
		if call != "POST resize" || refused == 3 {
			return false
		}
		refused++
		fakeengine.Fail(w, 409, "not running")
		return true
	}
	e := connect(t, f)
	s := newScreen(t, 24, 80)
	if _, err := e.Run(t.Context(), RunOptions{Spec: ttySpec(), Streams: s.streams()}); err != nil {
		t.Fatal(err)
	}
	if n := f.Count("POST resize"); n != 4 {
		t.Errorf("%d resizes", n)
	}
}

// Who detaches before the container has started finds it running afterwards.
func TestDetachBeforeStart(t *testing.T) {
	f := &fakeengine.Engine{Program: func(p *fakeengine.Process) int {
		<-p.Signals
		return 0
	}}
	s := newScreen(t, 24, 80)
	f.Handle = func(call string, _ http.ResponseWriter, _ *http.Request) bool {
		if call == "POST start" {
			s.typeKeys("\x1dd")
			time.Sleep(100 * time.Millisecond) // the keys are read meanwhile
		}
		return false
	}
	e := connect(t, f)
	started := ""
	res, err := e.Run(t.Context(), RunOptions{Spec: ttySpec(), Streams: s.streams(), Started: func(id string) { started = id }})
	if err != nil || !res.Detached || started == "" {
		t.Errorf("got %+v, %v, started %q", res, err, started)
	}
	s.restored(t)
	leaves(t, f, "box")
}

// pitfall 29, 30: the keys that detach are kept, every other key arrives, the
// engine gets the same sequence, and detaching is a result. What is typed
// afterwards is the shell's (pitfall 14).
func TestDetach(t *testing.T) {
	for _, tt := range []struct{ keys, text, typed string }{
		{"", "ctrl-],d", "a\x1d\x1dbc\x1dd"},
		{"ctrl-p,ctrl-q", "ctrl-p,ctrl-q", "a\x10\x10bc\x10\x11"},
		{"a,a,b", "a,a,b", "aaXaaaab"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			var got buffer
			f := &fakeengine.Engine{Program: func(p *fakeengine.Process) int {
				_, _ = io.WriteString(p.Out, "ready\x1b[?1049h\x1b[?2004h")
				_, _ = io.Copy(&got, p.In)
				<-p.Signals
				return 0
			}}
			e := connect(t, f)
			s := newScreen(t, 24, 80)
			go func() {
				s.shown.waitFor(t, "ready")
				if !s.raw(t) {
					t.Error("the terminal is not raw")
				}
				s.typeKeys(tt.typed)
			}()
			res, err := e.Run(t.Context(), RunOptions{Spec: ttySpec(), DetachKeys: tt.keys, Streams: s.streams()})
			if err != nil || !res.Detached {
				t.Fatalf("got %+v, %v", res, err)
			}
			s.restored(t)
			want := strings.TrimSuffix(tt.typed, map[string]string{"": "\x1dd", "ctrl-p,ctrl-q": "\x10\x11", "a,a,b": "aab"}[tt.keys])
			got.waitFor(t, want)
			if got.String() != want {
				t.Errorf("the program got %q, want %q", got.String(), want)
			}
			if q := f.Query("POST attach"); !strings.Contains(q, "detachKeys="+strings.NewReplacer("]", "%5D", ",", "%2C").Replace(tt.text)) {
				t.Errorf("the engine was given %q", q)
			}
			s.shown.waitFor(t, "\x1b[?2004l\x1b[?1049l\r\n\x1b[J")
			leaves(t, f, "box")

			s.typeKeys("later\n")
			buf := make([]byte, 100)
			if n, err := s.tty.Read(buf); err != nil || string(buf[:n]) != "later\n" {
				t.Errorf("the shell got %q, %v", buf[:n], err)
			}
		})
	}
}

// pitfall 19: whatever ends it, the terminal is given back, and with it the
// modes that the program turned on and could not turn off.
func TestTerminalRestored(t *testing.T) {
	tui := func(end func(*fakeengine.Process) int) func(*fakeengine.Process) int {
		return func(p *fakeengine.Process) int {
			_, _ = io.WriteString(p.Out, "\x1b[?1049h\x1b[?1003h\x1b[?1006h\x1b[?2004h\x1b[?25l\x1b[>1uready")
			return end(p)
		}
	}
	reset := "\x1b[<1u\x1b[?25h\x1b[?2004l\x1b[?1006l\x1b[?1003l\x1b[?1049l"
	for name, tt := range map[string]struct {
		end   func(*fakeengine.Process) int
		after func(*fakeengine.Engine, *screen)
		code  int
		err   bool
	}{
		"end":    {end: func(*fakeengine.Process) int { return 0 }},
		"killed": {end: func(*fakeengine.Process) int { return 137 }, code: 137},
		"signal": {
			end:   func(p *fakeengine.Process) int { <-p.Signals; return 143 },
			after: func(*fakeengine.Engine, *screen) { raise(t, syscall.SIGTERM) }, code: 143,
		},
		"engine gone": {
			end: func(p *fakeengine.Process) int { <-p.Signals; return 0 },
			after: func(f *fakeengine.Engine, s *screen) {
				f.Close()
				s.shown.waitFor(t, reset) // before it looks for the engine
				raise(t, syscall.SIGTERM)
			},
			code: 143, err: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeengine.Engine{Program: tui(tt.end)}
			e := connect(t, f)
			s := newScreen(t, 24, 80)
			go func() {
				s.shown.waitFor(t, "ready")
				if tt.after != nil {
					tt.after(f, s)
				}
			}()
			res, err := e.Run(t.Context(), RunOptions{Spec: ttySpec(), Streams: s.streams()})
			if res.ExitCode != tt.code || (err != nil) != tt.err {
				t.Errorf("got %+v, %v", res, err)
			}
			s.restored(t)
			s.shown.waitFor(t, "ready"+reset)
		})
	}
}

// A log that ends while a full-screen program has its modes on leaves none of
// them on; and the log itself is whole.
func TestLogsLeaveTerminal(t *testing.T) {
	drawn := make(chan struct{})
	f := &fakeengine.Engine{Program: func(p *fakeengine.Process) int {
		_, _ = io.WriteString(p.Out, "\x1b[?1049h\x1b[?1003h\x1b[?25lframe")
		close(drawn)
		<-p.Signals
		return 0
	}}
	e := connect(t, f)
	id := ""
	if _, err := e.Run(t.Context(), RunOptions{Spec: ttySpec(), Detach: true, Started: func(s string) { id = s }}); err != nil {
		t.Fatal(err)
	}
	<-drawn
	s := newScreen(t, 24, 80)
	if err := e.Logs(t.Context(), id, LogsOptions{Out: s.tty, Err: s.tty}); err != nil {
		t.Fatal(err)
	}
	s.shown.waitFor(t, "\x1b[?1049h\x1b[?1003h\x1b[?25lframe\x1b[?25h\x1b[?1003l\x1b[?1049l")
	s.restored(t)
	var file buffer
	if err := e.Logs(t.Context(), id, LogsOptions{Out: &file, Err: &file}); err != nil || !strings.HasSuffix(file.String(), "frame") {
		t.Errorf("got %q, %v", file.String(), err)
	}
}

// pitfall 3: the terminal is given back before the error of a start is told.
func TestTerminalRestoredBeforeStartError(t *testing.T) {
	f := &fakeengine.Engine{}
	f.Handle = func(call string, w http.ResponseWriter, _ *http.Request) bool {
		if call == "POST start" {
			fakeengine.Fail(w, 500, "no such program")
		}
		return call == "POST start"
	}
	e := connect(t, f)
	s := newScreen(t, 24, 80)
	_, err := e.Run(t.Context(), RunOptions{Spec: ttySpec(), Streams: s.streams()})
	if err == nil {
		t.Fatal("no error")
	}
	s.restored(t)
	leaves(t, f)
}

// pitfall 19: a panic in one of our goroutines gives the terminal back too.
func TestTerminalRestoredOnPanic(t *testing.T) {
	s := newScreen(t, 24, 80)
	raw, err := term.Raw(s.tty, s.tty)
	if err != nil {
		t.Fatal(err)
	}
	st := &stream{o: streamOptions{terminal: raw}}
	func() {
		defer func() { _ = recover() }()
		defer st.guard()
		panic("x")
	}()
	s.restored(t)
}

// pitfall 25: the terminal goes away: the program is told.
func TestTerminalGone(t *testing.T) {
	f := &fakeengine.Engine{Program: func(p *fakeengine.Process) int {
		_, _ = io.WriteString(p.Out, "ready")
		if sig := <-p.Signals; sig != "HUP" {
			return 1
		}
		return 5
	}}
	e := connect(t, f)
	s := newScreen(t, 24, 80)
	go func() {
		s.shown.waitFor(t, "ready")
		s.hangUp()
	}()
	res, err := e.Run(t.Context(), RunOptions{Spec: ttySpec(), Streams: s.streams()})
	if err != nil || res.ExitCode != 5 {
		t.Errorf("got %+v, %v", res, err)
	}
	leaves(t, f)
}

// pitfall 20: raw mode belongs to the input and the size to the output; one
// may be a terminal and the other not.
func TestSizeFromOutput(t *testing.T) {
	in, _ := pipe(t)
	other := newScreen(t, 24, 80)
	for _, in := range []*os.File{in, other.tty} {
		f := &fakeengine.Engine{Program: exits(0)}
		e := connect(t, f)
		scr := newScreen(t, 33, 77)
		s := spec()
		s.TTY = true
		if _, err := e.Run(t.Context(), RunOptions{Spec: s, Streams: Streams{In: in, Out: scr.tty, Err: io.Discard}}); err != nil {
			t.Fatal(err)
		}
		if body := string(f.Created("box")); !strings.Contains(body, `"ConsoleSize":[33,77]`) {
			t.Errorf("created with %s", body)
		}
		scr.restored(t)
		other.restored(t)
	}
}

// A program without input leaves the keys to the terminal: ctrl-c is a signal.
func TestTerminalWithoutInput(t *testing.T) {
	f := &fakeengine.Engine{Program: func(p *fakeengine.Process) int {
		_, _ = io.WriteString(p.Out, "ready")
		if sig := <-p.Signals; sig != "INT" {
			t.Errorf("got %s", sig)
		}
		return 2
	}}
	e := connect(t, f)
	s := newScreen(t, 24, 80)
	go func() {
		s.shown.waitFor(t, "ready")
		if s.raw(t) {
			t.Error("the terminal is raw, and nobody reads it")
		}
		raise(t, syscall.SIGINT)
	}()
	sp := spec()
	sp.TTY = true
	if res, err := e.Run(t.Context(), RunOptions{Spec: sp, Streams: s.streams()}); err != nil || res.ExitCode != 2 {
		t.Errorf("got %+v, %v", res, err)
	}
	s.restored(t)
}

// pitfall 33: the end of the context cuts nothing off once the program runs.
func TestRunOutlivesContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := &fakeengine.Engine{Program: func(p *fakeengine.Process) int {
		cancel()
		time.Sleep(50 * time.Millisecond)
		_, _ = io.WriteString(p.Out, "last words")
		return 6
	}}
	e := connect(t, f)
	var out buffer
	res, err := e.Run(ctx, RunOptions{Spec: spec(), Streams: Streams{Out: &out, Err: io.Discard}})
	if err != nil || res.ExitCode != 6 || out.String() != "last words" {
		t.Errorf("got %+v, %v, %q", res, err, out.String())
	}
}
