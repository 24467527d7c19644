//go:build !windows

package runner

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"heretic/runner/runnertest/fakeengine"
)

func spec() Spec { return Spec{Name: "box", Image: "img:1", Cmd: []string{"prog"}} }

func exits(code int) func(*fakeengine.Process) int {
	return func(*fakeengine.Process) int { return code }
}

// The calls of a launch, no more and no fewer, and in this order (pitfalls 7,
// 10).
func TestRunCalls(t *testing.T) {
	f := &fakeengine.Engine{Program: exits(7)}
	e := connect(t, f)
	res, err := e.Run(t.Context(), RunOptions{Spec: spec(), Streams: discard()})
	if err != nil || res.ExitCode != 7 || res.Detached {
		t.Fatalf("got %+v, %v", res, err)
	}
	want := []string{"HEAD _ping", "POST create", "POST attach", "POST wait", "POST start", "DELETE container"}
	got := f.Calls()
	if len(got) == len(want) {
		slices.Sort(got[2:4]) // they are made at once
	}
	if !slices.Equal(got, want) {
		t.Errorf("calls:\n%q\nwant:\n%q", got, want)
	}
	if q := f.Query("POST wait"); q != "condition=next-exit" {
		t.Errorf("waits with %q", q)
	}
	if body := string(f.Created("box")); strings.Contains(body, `"AutoRemove":true`) {
		t.Errorf("the engine would remove it: %s", body)
	}
	leaves(t, f)
}

// pitfall 6: a container is not started before the engine has acknowledged that
// we are attached and wait: a short one would be over.
func TestRunStartsLast(t *testing.T) {
	for _, slow := range []string{"POST attach", "POST wait"} {
		f := &fakeengine.Engine{Program: exits(0)}
		e := connect(t, f)
		var acknowledged atomic.Bool
		f.Handle = func(call string, _ http.ResponseWriter, _ *http.Request) bool {
			switch call {
			case slow:
				time.Sleep(50 * time.Millisecond)
				acknowledged.Store(true)
			case "POST start":
				if !acknowledged.Load() {
					t.Errorf("started before the answer to %s", slow)
				}
			}
			return false
		}
		if _, err := e.Run(t.Context(), RunOptions{Spec: spec(), Streams: discard()}); err != nil {
			t.Errorf("%s: %v", slow, err)
		}
	}
}

// pitfall 1, 2, 3, 4, 9: whatever fails after create leaves no container.
func TestRunFailuresLeaveNothing(t *testing.T) {
	fail := func(on string, code int, text string) func(string, http.ResponseWriter, *http.Request) bool {
		return func(call string, w http.ResponseWriter, _ *http.Request) bool {
			if call == on {
				fakeengine.Fail(w, code, "%s", text)
			}
			return call == on
		}
	}
	for _, tt := range []struct {
		name    string
		handle  func(string, http.ResponseWriter, *http.Request) bool
		prepare error
		code    int
		text    string
	}{
		{name: "prepare", prepare: errors.New("no room"), code: 125, text: "no room"},
		{name: "attach", handle: fail("POST attach", 409, "x"), code: 125, text: "attach: "},
		{name: "wait", handle: fail("POST wait", 500, "no waiting"), code: 125, text: "no waiting"},
		{name: "start", handle: fail("POST start", 500, "no room"), code: 125, text: "start the container: no room"},
		{name: "removed at the same time", handle: fail("DELETE container", 404, "No such container"), code: 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := &fakeengine.Engine{Program: exits(0), Handle: tt.handle}
			e := connect(t, f)
			res, err := e.Run(t.Context(), RunOptions{
				Spec: spec(), Streams: discard(),
				Prepare: func(context.Context, string) error { return tt.prepare },
			})
			if res.ExitCode != tt.code {
				t.Errorf("exit code %d, want %d", res.ExitCode, tt.code)
			}
			if (err == nil) != (tt.text == "") || err != nil && !strings.Contains(err.Error(), tt.text) {
				t.Errorf("error %v, want %q", err, tt.text)
			}
			if tt.name != "removed at the same time" {
				leaves(t, f)
			}
		})
	}
}

// pitfall 34: the code of a command that cannot be run is asked for, not
// guessed from words.
func TestRunStartCode(t *testing.T) {
	for _, code := range []int{126, 127} {
		f := &fakeengine.Engine{}
		f.Handle = func(call string, w http.ResponseWriter, _ *http.Request) bool {
			switch call {
			case "POST start":
				fakeengine.Fail(w, 400, "something in other words")
			case "GET json":
				fakeengine.Reply(w, 200, map[string]any{"State": map[string]any{"ExitCode": code}, "Config": map[string]any{}})
			default:
				return false
			}
			return true
		}
		e := connect(t, f)
		res, err := e.Run(t.Context(), RunOptions{Spec: spec(), Streams: discard()})
		start, ok := errors.AsType[*StartError](err)
		if !ok || start.Code != code || res.ExitCode != code {
			t.Errorf("got %+v, %v; want %d", res, err, code)
		}
		leaves(t, f)
	}
}

// Podman refuses the attach where Docker refuses the start; its reason comes
// from the start call.
func TestRunPodmanRefusesAttach(t *testing.T) {
	f := &fakeengine.Engine{Server: "Libpod/4.3.1 (linux)", API: "1.41"}
	f.Handle = func(call string, w http.ResponseWriter, _ *http.Request) bool {
		switch call {
		case "POST attach":
			fakeengine.Fail(w, 409, "bad state")
		case "POST start":
			fakeengine.Fail(w, 500, "executable file not found")
		case "GET json":
			fakeengine.Reply(w, 200, map[string]any{"State": map[string]any{"ExitCode": 127}, "Config": map[string]any{}})
		default:
			return false
		}
		return true
	}
	e := connect(t, f)
	res, err := e.Run(t.Context(), RunOptions{Spec: spec(), Streams: discard()})
	if res.ExitCode != 127 || err == nil || !strings.Contains(err.Error(), "executable file not found") {
		t.Errorf("got %+v, %v", res, err)
	}
	leaves(t, f)
}

// pitfall 2: what can be refused is refused before anything is created.
func TestRunRefusesBeforeCreate(t *testing.T) {
	in, _ := pipe(t)
	for name, change := range map[string]func(*RunOptions){
		"detach keys":      func(o *RunOptions) { o.DetachKeys = "ctrl-ä" },
		"pull policy":      func(o *RunOptions) { o.Pull = "sometimes" },
		"no terminal":      func(o *RunOptions) { o.Spec.TTY, o.Spec.Interactive, o.Streams.In = true, true, in },
		"missing source":   func(o *RunOptions) { o.Spec.Mounts = []Mount{{Type: Bind, Source: "/no/such", Target: "/x"}} },
		"port":             func(o *RunOptions) { o.Spec.Ports = []string{"x:y"} },
		"memory":           func(o *RunOptions) { o.Spec.Memory = "much" },
		"cpus":             func(o *RunOptions) { o.Spec.CPUs = "all" },
		"ulimit":           func(o *RunOptions) { o.Spec.Ulimits = []string{"x"} },
		"device":           func(o *RunOptions) { o.Spec.Devices = []string{"x"} },
		"gpus":             func(o *RunOptions) { o.Spec.GPUs = "count=x" },
		"extra host":       func(o *RunOptions) { o.Spec.AddHosts = []string{"x"} },
		"seccomp profile":  func(o *RunOptions) { o.Spec.SecurityOpt = []string{"seccomp=/no/such"} },
		"no image":         func(o *RunOptions) { o.Spec.Image = "" },
		"shm_size":         func(o *RunOptions) { o.Spec.ShmSize = "-" },
		"missing source 2": func(o *RunOptions) { o.Spec.Mounts = []Mount{{Type: Bind, Source: "", Target: "/x"}} },
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeengine.Engine{}
			e := connect(t, f)
			o := RunOptions{Spec: spec(), Streams: discard()}
			change(&o)
			if res, err := e.Run(t.Context(), o); err == nil || res.ExitCode != 125 {
				t.Errorf("got %+v, %v", res, err)
			}
			if calls := f.Calls(); len(calls) > 0 {
				t.Errorf("the engine was asked: %q", calls)
			}
		})
	}
}

// The image is asked for only by creating the container.
func TestRunPullsMissing(t *testing.T) {
	for _, tt := range []struct {
		pull  string
		there bool
		pulls int
		err   bool
	}{
		{"", false, 1, false},
		{"missing", true, 0, false},
		{"always", true, 1, false},
		{"never", false, 0, true},
	} {
		f := &fakeengine.Engine{Program: exits(0), Images: map[string]bool{}}
		f.Images["img:1"] = tt.there
		e := connect(t, f)
		res, err := e.Run(t.Context(), RunOptions{Spec: spec(), Pull: tt.pull, Streams: discard()})
		if n := f.Count("POST image create"); n != tt.pulls || (err != nil) != tt.err {
			t.Errorf("pull %q, there %v: %d pulls, %+v, %v", tt.pull, tt.there, n, res, err)
		}
		if _, ok := errors.AsType[*ImageError](err); tt.err && (!ok || !errors.Is(err, ErrNotFound)) {
			t.Errorf("error %v", err)
		}
		leaves(t, f)
	}
}

// A network that is missing is no image that could be pulled, whatever its name.
func TestRunMissingNetwork(t *testing.T) {
	f := &fakeengine.Engine{Program: exits(0)}
	f.Handle = func(call string, w http.ResponseWriter, _ *http.Request) bool {
		if call != "POST create" {
			return false
		}
		fakeengine.Fail(w, http.StatusNotFound, "network %s not found", "images")
		return true
	}
	e := connect(t, f)
	s := spec()
	s.Network = "images"
	_, err := e.Run(t.Context(), RunOptions{Spec: s, Streams: discard()})
	if err == nil || !strings.Contains(err.Error(), "network images not found") || f.Count("POST image create") != 0 {
		t.Errorf("%d pulls, error %v", f.Count("POST image create"), err)
	}
}

// pitfall 5: Ctrl-C ends a pull, and the error says no more than that.
func TestRunPullCancelled(t *testing.T) {
	f := &fakeengine.Engine{Images: map[string]bool{}}
	f.Handle = func(call string, w http.ResponseWriter, r *http.Request) bool {
		if call != "POST image create" {
			return false
		}
		_, _ = io.WriteString(w, `{"status":"Pulling"}`)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return true
	}
	e := connect(t, f)
	go func() {
		f.WaitFor(t, "POST image create", 1)
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGINT)
	}()
	res, err := e.Run(t.Context(), RunOptions{Spec: spec(), Streams: discard()})
	if res.ExitCode != 130 || !errors.Is(err, context.Canceled) || err.Error() != "interrupted by SIGINT" {
		t.Errorf("got %+v, %v", res, err)
	}
}

// pitfall 5: an error in the stream of a pull is an error.
func TestRunPullErrorInStream(t *testing.T) {
	f := &fakeengine.Engine{Images: map[string]bool{}}
	f.Handle = func(call string, w http.ResponseWriter, _ *http.Request) bool {
		if call == "POST image create" {
			_, _ = io.WriteString(w, `{"status":"Pulling"}{"errorDetail":{"message":"no space left"},"error":"no space left"}`)
		}
		return call == "POST image create"
	}
	e := connect(t, f)
	_, err := e.Run(t.Context(), RunOptions{Spec: spec(), Streams: discard()})
	if err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("got %v", err)
	}
}

// pitfall 9: somebody else is just removing it: the removal ends when theirs
// has.
func TestRemoveTogether(t *testing.T) {
	f := &fakeengine.Engine{}
	e := connect(t, f)
	id, err := e.Create(t.Context(), spec())
	if err != nil {
		t.Fatal(err)
	}
	first := true
	f.Handle = func(call string, w http.ResponseWriter, _ *http.Request) bool {
		if call != "DELETE container" || !first {
			return false
		}
		first = false
		fakeengine.Fail(w, http.StatusConflict, "removal of container %s is already in progress", id)
		go func() {
			f.WaitFor(t, "POST wait", 1)
			if err := e.Remove(context.Background(), id); err != nil {
				t.Error(err)
			}
		}()
		return true
	}
	if err := e.Remove(t.Context(), id); err != nil {
		t.Error(err)
	}
	if q := f.Query("POST wait"); q != "condition=removed" {
		t.Errorf("waits with %q", q)
	}
	leaves(t, f)
}

// A name that is taken is a typed error, and the other container stays.
func TestRunNameConflict(t *testing.T) {
	f := &fakeengine.Engine{}
	e := connect(t, f)
	if _, err := e.Create(t.Context(), spec()); err != nil {
		t.Fatal(err)
	}
	_, err := e.Run(t.Context(), RunOptions{Spec: spec(), Streams: discard()})
	if c, ok := errors.AsType[*NameConflictError](err); !ok || c.Name != "box" {
		t.Errorf("got %v", err)
	}
	leaves(t, f, "box")
}

// The engine goes on with a creation whose caller has gone: the container that
// comes of it is removed.
func TestRunCancelledWhileCreating(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := &fakeengine.Engine{}
	f.Handle = func(call string, _ http.ResponseWriter, _ *http.Request) bool {
		if call == "POST create" {
			cancel()
			time.Sleep(20 * time.Millisecond)
		}
		return false
	}
	e := connect(t, f)
	res, err := e.Run(ctx, RunOptions{Spec: spec(), Streams: discard()})
	if !errors.Is(err, context.Canceled) || res.ExitCode != 125 {
		t.Errorf("got %+v, %v", res, err)
	}
	if f.Count("POST start") > 0 {
		t.Error("it was started")
	}
	leaves(t, f)
}

// A detached container keeps its input, and its life is not ours.
func TestRunDetached(t *testing.T) {
	release := make(chan struct{})
	f := &fakeengine.Engine{Program: func(*fakeengine.Process) int { <-release; return 0 }}
	defer close(release)
	e := connect(t, f)
	s := spec()
	s.Interactive, s.TTY = true, true
	started := ""
	res, err := e.Run(t.Context(), RunOptions{Spec: s, Detach: true, Streams: discard(), Started: func(id string) { started = id }})
	if err != nil || !res.Detached || started == "" {
		t.Errorf("got %+v, %v, started %q", res, err, started)
	}
	if body := string(f.Created("box")); !strings.Contains(body, `"StdinOnce":false`) || !strings.Contains(body, `"OpenStdin":true`) {
		t.Errorf("created with %s", body)
	}
	leaves(t, f, "box")
}

// Kept containers stay, and Exited is called while they are there.
func TestRunKeep(t *testing.T) {
	f := &fakeengine.Engine{Program: exits(1)}
	e := connect(t, f)
	exited := 0
	_, err := e.Run(t.Context(), RunOptions{
		Spec: spec(), Keep: true, Streams: discard(),
		Exited: func(context.Context, string, int) { exited++; leaves(t, f, "box") },
	})
	if err != nil || exited != 1 {
		t.Errorf("got %v, exited %d times", err, exited)
	}
	leaves(t, f, "box")
}

// The engine goes away while the container runs: no made-up exit code
// (pitfalls 8, 11, 35).
func TestRunEngineGone(t *testing.T) {
	f := &fakeengine.Engine{}
	f.Program = func(p *fakeengine.Process) int {
		go f.Close()
		<-p.Signals
		return 0
	}
	e := connect(t, f)
	go func() {
		f.WaitFor(t, "POST start", 1)
		time.Sleep(200 * time.Millisecond)
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGTERM) // no need to look for it for long
	}()
	res, err := e.Run(t.Context(), RunOptions{Spec: spec(), Streams: discard()})
	if _, ok := errors.AsType[*LostError](err); !ok || !res.Detached || res.ExitCode == 0 {
		t.Errorf("got %+v, %v", res, err)
	}
}

// pitfall 35: an engine that was there and is no more is said to be gone, by
// whatever call finds it.
func TestGoneBetweenCalls(t *testing.T) {
	f := &fakeengine.Engine{}
	e := connect(t, f)
	id, err := e.Create(t.Context(), spec())
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	_, list := e.List(t.Context(), nil, true)
	_, run := e.Run(t.Context(), RunOptions{Spec: spec(), Streams: discard()})
	for what, err := range map[string]error{"list": list, "run": run, "stop": e.Stop(t.Context(), id, 0)} {
		if down, ok := errors.AsType[*UnavailableError](err); !ok || down.Hint() == "" {
			t.Errorf("%s: got %v", what, err)
		}
	}
}
