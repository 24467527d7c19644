//go:build !windows

package runner

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"heretic/runner/runnertest/fakeengine"
)

// pitfall 12: the two streams stay apart, and input ends with a half-close.
func TestRunStreams(t *testing.T) {
	f := &fakeengine.Engine{Program: func(p *fakeengine.Process) int {
		_, _ = io.WriteString(p.Err, "to err")
		_, _ = io.Copy(p.Out, p.In)
		return 0
	}}
	e := connect(t, f)
	in, feed := pipe(t)
	_, _ = feed.WriteString("to out")
	feed.Close()
	var out, errs buffer
	s := spec()
	s.Interactive = true
	res, err := e.Run(t.Context(), RunOptions{Spec: s, Streams: Streams{In: in, Out: &out, Err: &errs}})
	if err != nil || res.ExitCode != 0 || out.String() != "to out" || errs.String() != "to err" {
		t.Errorf("got %+v, %v, out %q, err %q", res, err, &out, &errs)
	}
}

// pitfall 13: all of the output arrives, however late and however slowly it is
// taken, also when the status is known long before.
func TestRunOutputComplete(t *testing.T) {
	const size = 4 << 20
	f := &fakeengine.Engine{Program: func(p *fakeengine.Process) int {
		chunk := bytes.Repeat([]byte("x"), 1<<16)
		for range size / len(chunk) {
			_, _ = p.Out.Write(chunk)
		}
		return 3
	}}
	e := connect(t, f)
	r, w := pipe(t)
	got := make(chan int)
	go func() {
		n, buf := 0, make([]byte, 100_000)
		for {
			time.Sleep(time.Millisecond)
			m, err := r.Read(buf)
			n += m
			if err != nil {
				got <- n
				return
			}
		}
	}()
	res, err := e.Run(t.Context(), RunOptions{Spec: spec(), Streams: Streams{Out: w, Err: io.Discard}})
	w.Close()
	if n := <-got; err != nil || res.ExitCode != 3 || n != size {
		t.Errorf("got %+v, %v and %d of %d bytes", res, err, n, size)
	}
}

// pitfall 14: what is not read when the container ends stays for the next
// reader, and the reading goroutine is gone.
func TestRunLeavesInput(t *testing.T) {
	f := &fakeengine.Engine{Program: exits(0)}
	e := connect(t, f)
	in, feed := pipe(t)
	s := spec()
	s.Interactive = true
	if _, err := e.Run(t.Context(), RunOptions{Spec: s, Streams: Streams{In: in, Out: io.Discard, Err: io.Discard}}); err != nil {
		t.Fatal(err)
	}
	_, _ = feed.WriteString("k")
	buf := make([]byte, 1)
	if _, err := in.Read(buf); err != nil || buf[0] != 'k' {
		t.Errorf("the next reader got %q, %v", buf, err)
	}
}

// pitfall 16: nobody reads the output any more: the container is stopped.
func TestRunBrokenPipe(t *testing.T) {
	f := &fakeengine.Engine{Program: func(p *fakeengine.Process) int {
		for {
			select {
			case sig := <-p.Signals:
				if sig == "STOP" {
					return 143
				}
			default:
				_, _ = io.WriteString(p.Out, "more\n")
			}
		}
	}}
	e := connect(t, f)
	r, w := pipe(t)
	r.Close()
	res, err := e.Run(t.Context(), RunOptions{Spec: spec(), Streams: Streams{Out: w, Err: io.Discard}})
	if err != nil || res.ExitCode != 128+int(syscall.SIGPIPE) {
		t.Errorf("got %+v, %v", res, err)
	}
	leaves(t, f)
}

// So it is when that is the process's standard output, which SIGPIPE would end
// the process for.
func TestRunBrokenStdout(t *testing.T) {
	const child = "HERETIC_TEST_BROKEN_STDOUT"
	if os.Getenv(child) == "" {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestRunBrokenStdout$")
		cmd.Env = append(os.Environ(), child+"=1")
		r, w := pipe(t)
		r.Close()
		cmd.Stdout = w
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != 128+int(syscall.SIGPIPE) {
			t.Errorf("got %v", err)
		}
		return
	}
	code := 1
	t.Run("", func(t *testing.T) {
		f := &fakeengine.Engine{Program: func(p *fakeengine.Process) int {
			_, _ = io.WriteString(p.Out, "more\n")
			<-p.Signals
			return 143
		}}
		e := connect(t, f)
		if res, err := e.Run(t.Context(), RunOptions{Spec: spec(), Streams: Streams{Out: os.Stdout, Err: io.Discard}}); err == nil {
			code = res.ExitCode
		}
		leaves(t, f)
	})
	if t.Failed() {
		code = 1
	}
	os.Exit(code)
}

// A full disk behind the output is an error that says so.
func TestRunOutputFails(t *testing.T) {
	f := &fakeengine.Engine{Program: func(p *fakeengine.Process) int {
		_, _ = io.WriteString(p.Out, "text")
		<-p.Signals
		return 0
	}}
	e := connect(t, f)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	res, err := e.Run(t.Context(), RunOptions{Spec: spec(), Streams: Streams{Out: full, Err: io.Discard}})
	if !errors.Is(err, syscall.ENOSPC) || res.ExitCode != 125 {
		t.Errorf("got %+v, %v", res, err)
	}
	leaves(t, f)
}
