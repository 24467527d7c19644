//go:build !windows

package runner

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"heretic/runner/runnertest/fakeengine"
)

func raise(t *testing.T, sig syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(syscall.Getpid(), sig); err != nil {
		t.Fatal(err)
	}
}

// pitfall 24, 25, 26: these signals reach the container, one after the other,
// and no others do.
func TestSignalsForwarded(t *testing.T) {
	var out buffer
	f := &fakeengine.Engine{Program: func(p *fakeengine.Process) int {
		_, _ = io.WriteString(p.Out, "ready\n")
		for sig := range p.Signals {
			_, _ = io.WriteString(p.Out, "<"+sig+">")
			if sig == "TERM" {
				return 9
			}
		}
		return 0
	}}
	e := connect(t, f)
	go func() {
		out.waitFor(t, "ready")
		for _, sig := range []struct {
			sig  syscall.Signal
			name string
		}{
			{syscall.SIGWINCH, ""}, {syscall.SIGCHLD, ""}, {syscall.SIGURG, ""},
			{syscall.SIGUSR1, "USR1"}, {syscall.SIGUSR2, "USR2"}, {syscall.SIGINT, "INT"},
			{syscall.SIGQUIT, "QUIT"}, {syscall.SIGHUP, "HUP"}, {syscall.SIGTERM, "TERM"},
		} {
			raise(t, sig.sig)
			if sig.name != "" {
				out.waitFor(t, "<"+sig.name+">")
			}
		}
	}()
	res, err := e.Run(t.Context(), RunOptions{Spec: spec(), Streams: Streams{Out: &out, Err: io.Discard}})
	if err != nil || res.ExitCode != 9 {
		t.Errorf("got %+v, %v", res, err)
	}
	if want := "ready\n<USR1><USR2><INT><QUIT><HUP><TERM>"; out.String() != want {
		t.Errorf("the container got %q, want %q", out.String(), want)
	}
}

// pitfall 27: a signal that asks us to end, before there is a program to get
// it, ends the launch, with the code of that signal and nothing left.
func TestSignalBeforeStart(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM} {
		f := &fakeengine.Engine{Program: exits(0)}
		e := connect(t, f)
		res, err := e.Run(t.Context(), RunOptions{
			Spec: spec(), Streams: discard(),
			Prepare: func(ctx context.Context, _ string) error {
				raise(t, sig)
				<-ctx.Done()
				return ctx.Err()
			},
		})
		if _, ok := errors.AsType[*InterruptError](err); !ok || res.ExitCode != 128+int(sig) {
			t.Errorf("%v: got %+v, %v", sig, res, err)
		}
		if f.Count("POST start") > 0 {
			t.Errorf("%v: started", sig)
		}
		leaves(t, f)
	}
}

// pitfall 27: a signal that comes as the last before the start ends the launch
// too, whatever came with it, and one that runs in the background is not started.
func TestSignalJustBeforeStart(t *testing.T) {
	for _, detach := range []bool{false, true} {
		f := &fakeengine.Engine{Program: exits(0)}
		e := connect(t, f)
		res, err := e.Run(t.Context(), RunOptions{
			Spec: spec(), Streams: discard(), Detach: detach,
			Prepare: func(ctx context.Context, _ string) error {
				raise(t, syscall.SIGUSR1)
				raise(t, syscall.SIGTERM)
				<-ctx.Done()
				return nil
			},
		})
		if _, ok := errors.AsType[*InterruptError](err); !ok || res.ExitCode != 143 {
			t.Errorf("detach %v: got %+v, %v", detach, res, err)
		}
		if f.Count("POST start") > 0 {
			t.Errorf("detach %v: started", detach)
		}
		leaves(t, f)
	}
}

// pitfall 27: any other signal is kept for the program, and so is each one
// that comes while the engine starts it.
func TestSignalsQueuedUntilStart(t *testing.T) {
	f := &fakeengine.Engine{}
	f.Program = func(p *fakeengine.Process) int {
		if a, b := <-p.Signals, <-p.Signals; a != "USR1" || b != "TERM" {
			return 1
		}
		return 0
	}
	e := connect(t, f)
	starting := false
	f.Handle = func(call string, _ http.ResponseWriter, _ *http.Request) bool {
		if call == "POST start" && !starting {
			starting = true
			raise(t, syscall.SIGTERM)
			time.Sleep(50 * time.Millisecond)
		}
		return false
	}
	res, err := e.Run(t.Context(), RunOptions{
		Spec: spec(), Streams: discard(),
		Prepare: func(context.Context, string) error {
			raise(t, syscall.SIGUSR1)
			time.Sleep(20 * time.Millisecond)
			return nil
		},
	})
	if err != nil || res.ExitCode != 0 {
		t.Errorf("got %+v, %v", res, err)
	}
}

// pitfall 27: so it is for one that runs in the background.
func TestSignalsQueuedUntilStartDetached(t *testing.T) {
	f := &fakeengine.Engine{Program: func(p *fakeengine.Process) int { <-p.Signals; <-p.Signals; return 0 }}
	f.Handle = func(call string, _ http.ResponseWriter, _ *http.Request) bool {
		if call == "POST start" {
			raise(t, syscall.SIGUSR2)
			time.Sleep(50 * time.Millisecond)
		}
		return false
	}
	e := connect(t, f)
	res, err := e.Run(t.Context(), RunOptions{
		Spec: spec(), Streams: discard(), Detach: true,
		Prepare: func(context.Context, string) error {
			raise(t, syscall.SIGUSR1)
			time.Sleep(20 * time.Millisecond)
			return nil
		},
	})
	if err != nil || !res.Detached || f.Count("POST kill") != 2 || f.Query("POST kill") != "signal=USR2" {
		t.Errorf("got %+v, %v, %d signals", res, err, f.Count("POST kill"))
	}
}

// pitfall 28: the third interrupt kills the container and then ends the run.
func TestThirdInterruptKills(t *testing.T) {
	var out buffer
	f := &fakeengine.Engine{Program: func(p *fakeengine.Process) int {
		_, _ = io.WriteString(p.Out, "ready")
		for sig := range p.Signals {
			_, _ = io.WriteString(p.Out, sig)
			if sig == "KILL" {
				break
			}
		}
		return 0
	}}
	e := connect(t, f)
	go func() {
		out.waitFor(t, "ready")
		raise(t, syscall.SIGINT)
		out.waitFor(t, "INT")
		raise(t, syscall.SIGINT)
		out.waitFor(t, "INTINT")
		raise(t, syscall.SIGINT)
	}()
	res, err := e.Run(t.Context(), RunOptions{Spec: spec(), Streams: Streams{Out: &out, Err: io.Discard}})
	if err != nil || res.ExitCode != 137 {
		t.Errorf("got %+v, %v", res, err)
	}
	if strings.Count(out.String(), "INT") != 2 {
		t.Errorf("the container got %q", out.String())
	}
	leaves(t, f)
}

// The terminal goes away and the container ignores that for 10 s: it is
// stopped.
func TestHangupStops(t *testing.T) {
	for name, hangup := range map[string]func(*attachment){
		"signal": func(a *attachment) { a.signals.C <- syscall.SIGHUP },
		"input":  func(a *attachment) { a.stream.input <- inputGone },
		"again": func(a *attachment) { // a second one gives no more time
			a.signals.C <- syscall.SIGHUP
			go func() {
				time.Sleep(5 * time.Second)
				a.signals.C <- syscall.SIGHUP
			}()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &deafEngine{start: time.Now(), end: make(chan struct{})}
				a := d.attachment()
				hangup(a)
				res, err := d.live(t.Context(), a)
				if err != nil || res.ExitCode != 137 {
					t.Errorf("got %+v, %v", res, err)
				}
				want := []string{"0s HUP", "10s stop"}
				if name == "again" {
					want = []string{"0s HUP", "5s HUP", "10s stop"}
				}
				if !slices.Equal(d.log, want) {
					t.Errorf("the engine was told %q, want %q", d.log, want)
				}
			})
		})
	}
}

// pitfall 27: a terminal that goes away while the container is being started is
// told to the container once it runs, however long that takes.
func TestHangupWhileStarting(t *testing.T) {
	for _, slow := range []time.Duration{5 * time.Second, 15 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			d := &deafEngine{start: time.Now(), end: make(chan struct{})}
			a := d.attachment()
			a.start = func(context.Context) error {
				time.Sleep(slow)
				d.record("started")
				return nil
			}
			a.stream.input <- inputGone
			res, err := d.live(t.Context(), a)
			if err != nil || res.ExitCode != 137 {
				t.Errorf("got %+v, %v", res, err)
			}
			want := []string{"5s started", "5s HUP", "10s stop"}
			if slow > hangupGrace {
				want = []string{"15s started", "15s HUP", "15s stop"}
			}
			if !slices.Equal(d.log, want) {
				t.Errorf("the engine was told %q, want %q", d.log, want)
			}
		})
	}
}

// Where the container outlives the terminal, a hangup detaches.
func TestHangupDetaches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		d := &deafEngine{start: time.Now(), end: make(chan struct{})}
		a := d.attachment()
		a.outlives = true
		a.signals.C <- syscall.SIGHUP
		res, err := d.live(ctx, a)
		if err != nil || !res.Detached || len(d.log) > 0 {
			t.Errorf("got %+v, %v; the engine was told %q", res, err, d.log)
		}
	})
}

// An engine that does not even report the end of a killed container does not
// hold us for ever.
func TestKillIsFinal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		d := &deafEngine{start: time.Now(), end: make(chan struct{})}
		a := d.attachment()
		for range 3 {
			a.signals.C <- syscall.SIGTERM
		}
		go func() { // one more gives no more time
			time.Sleep(5 * time.Second)
			a.signals.C <- syscall.SIGTERM
		}()
		res, err := d.live(ctx, a)
		if err == nil || res.ExitCode != 137 || time.Since(d.start) != killGrace {
			t.Errorf("got %+v, %v after %v", res, err, time.Since(d.start))
		}
		if want := []string{"0s TERM", "0s TERM", "0s KILL", "5s KILL"}; !slices.Equal(d.log, want) {
			t.Errorf("the engine was told %q, want %q", d.log, want)
		}
	})
}

// Nor does one that answers to nothing any more, whether the container is to be
// removed or kept.
func TestRunEngineHangs(t *testing.T) {
	for _, keep := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			d := &deafEngine{start: time.Now()}
			a := d.attachment()
			go func() {
				time.Sleep(time.Second)
				for range 3 {
					a.signals.C <- syscall.SIGTERM
				}
			}()
			o := RunOptions{Streams: discard(), Keep: keep}
			res, err := a.e.runCreated(t.Context(), "box", o, a, func() ([]os.Signal, error) { return nil, nil })
			if took := time.Since(d.start); err == nil || res.ExitCode != 137 || took > time.Second+killGrace+removeTime {
				t.Errorf("got %+v, %v after %v", res, err, took)
			}
		})
	}
}

// A terminal's output ends and the container does not: that is said, and the
// container is left alone.
func TestStreamEndsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		d := &deafEngine{start: time.Now(), end: make(chan struct{})}
		a := d.attachment()
		a.o.tty = true
		a.stream.conn.Conn, _ = net.Pipe()
		a.stream.output <- nil
		res, err := d.live(ctx, a)
		if took := time.Since(d.start); !errors.Is(err, errStreamEnded) || !res.Detached || took != silenceGrace || len(d.log) > 0 {
			t.Errorf("got %+v, %v after %v; the engine was told %q", res, err, took, d.log)
		}
	})
}

// pitfall 13: the output may come late, but not never.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stream{output: make(chan error, 1)}
		go func() {
			for range 5 { // it comes slowly
				time.Sleep(15 * time.Second)
				s.bytes.Add(1)
			}
			s.writing.Store(true) // the caller takes it slowly
			time.Sleep(5 * time.Minute)
			s.writing.Store(false)
			s.output <- nil
		}()
		begin := time.Now()
		if err := s.drain(drainIdle, nil, nil); err != nil || time.Since(begin) != 75*time.Second+5*time.Minute {
			t.Errorf("gave up after %v, %v", time.Since(begin), err)
		}
		begin = time.Now()
		if err := s.drain(drainIdle, nil, nil); err != nil || time.Since(begin) > 3*drainIdle {
			t.Errorf("nothing came and it waited %v, %v", time.Since(begin), err)
		}
	})
}

// Output that nobody takes does not hold us against the third interrupt.
func TestDrainInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &deafEngine{start: time.Now(), end: make(chan struct{})}
		a := d.attachment()
		a.stream.writing.Store(true)
		status := make(chan exit, 1)
		status <- exit{code: 4}
		defer a.carryOut(t.Context())()
		go func() {
			for range 3 {
				time.Sleep(time.Minute)
				a.signals.C <- syscall.SIGINT
			}
		}()
		res, err := a.live(t.Context(), status)
		if took := time.Since(d.start); err != nil || res.ExitCode != 4 || took != 3*time.Minute {
			t.Errorf("got %+v, %v after %v", res, err, took)
		}
	})
}

// pitfall 21: a resize that comes too early is repeated, but not for ever.
func TestRetryResize(t *testing.T) {
	for _, tt := range []struct{ fail, calls int }{{0, 1}, {3, 4}, {100, 10}} {
		synctest.Test(t, func(t *testing.T) {
			calls, begin := 0, time.Now()
			retry(t.Context(), func() error {
				if calls++; calls <= tt.fail {
					return errors.New("not running")
				}
				return nil
			})
			if calls != tt.calls || time.Since(begin) > time.Second {
				t.Errorf("%d calls in %v, want %d", calls, time.Since(begin), tt.calls)
			}
		})
	}
}
