package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/pkg/stdcopy"

	"heretic/runner/internal/term"
)

// ExecOptions are the options of Exec.
type ExecOptions struct {
	Cmd         []string
	Env         []string // NAME=value
	WorkingDir  string
	User        string
	TTY         bool
	Interactive bool
	Streams     Streams
	DetachKeys  string // empty: DefaultDetachKeys
}

// Exec runs a command in a running container and returns its exit code. That
// of an error is 127 where there is no such command, 126 where it cannot be
// executed, and 125 for anything else.
func (e *Engine) Exec(ctx context.Context, id string, o ExecOptions) (int, error) {
	keys, err := detachKeys(o.DetachKeys)
	if err != nil {
		return 125, err
	}
	if o.TTY && o.Interactive && !term.Is(o.Streams.In) {
		return 125, errNoTerminal
	}
	api, err := e.api(ctx)
	if err != nil {
		return 125, err
	}
	var console *[2]uint
	size, sized := term.SizeOf(o.Streams.Out, o.Streams.In)
	if sized && o.TTY {
		console = &[2]uint{size.Rows, size.Cols}
	}
	x, err := api.ContainerExecCreate(ctx, id, container.ExecOptions{
		Cmd: o.Cmd, Env: o.Env, WorkingDir: o.WorkingDir, User: o.User, Tty: o.TTY, ConsoleSize: console,
		AttachStdin: o.Interactive, AttachStdout: true, AttachStderr: true, DetachKeys: keys.text,
	})
	if err != nil {
		if _, state := e.running(ctx, id); errors.As(state, new(*StateError)) {
			return 125, state
		}
		return 125, e.wrap("exec", err)
	}
	signals := term.Subscribe()
	defer signals.Stop()
	ctx = context.WithoutCancel(ctx)
	refused := &refusal{prefix: e.quirks().execRefusal}
	so := streamOptions{tty: o.TTY, streams: o.Streams, stdin: o.Interactive, keys: keys.bytes, refusal: refused}
	conn, err := api.ContainerExecAttach(ctx, x.ID, container.ExecAttachOptions{Tty: o.TTY, ConsoleSize: console})
	if err != nil {
		return 125, e.wrap("exec", err)
	}
	defer conn.Close()
	if o.TTY {
		if so.terminal, err = term.Raw(o.Streams.In, o.Streams.Out); err != nil {
			return 125, fmt.Errorf("raw mode: %w", err)
		}
		defer so.terminal.Restore()
		known := term.Size{}
		if e.quirks().consoleSize {
			known = size
		}
		defer e.follow(ctx, o.Streams, known, func(ctx context.Context, s term.Size) error {
			return api.ContainerExecResize(ctx, x.ID, container.ResizeOptions{Height: s.Rows, Width: s.Cols})
		})()
	}
	st := startStream(conn, so)
	defer st.close()
	for input := st.input; ; {
		select {
		case err := <-st.output:
			if err != nil {
				r, err := result(exit{}, err)
				return r.ExitCode, err
			}
			so.terminal.Restore()
			code, err := e.execCode(ctx, x.ID)
			if why, ok := refused.reason(); ok && err == nil {
				return startCode(why), fmt.Errorf("exec %s", why)
			}
			return code, err
		case end := <-input:
			if end != inputEOF {
				return 0, nil
			}
		case sig := <-signals.C:
			// The engine has no call that signals an exec.
			return 128 + term.Number(sig), nil
		}
	}
}

// refusal keeps from the output what an engine writes in its place about a
// command that it cannot start; see quirks.execRefusal. That comes at once.
type refusal struct {
	out    io.Writer
	prefix string
	words  []byte
	begun  bool
}

func (r *refusal) Write(p []byte) (int, error) {
	if r.words != nil || !r.begun && r.prefix != "" && bytes.HasPrefix(p, []byte(r.prefix)) {
		r.begun, r.words = true, append(r.words, p...)
		return len(p), nil
	}
	r.begun = true
	return r.out.Write(p)
}

// reason is what was kept, without the engine's own preface.
func (r *refusal) reason() (string, bool) {
	why := strings.TrimSpace(strings.TrimPrefix(string(r.words), r.prefix))
	why = strings.TrimSuffix(why, ": unknown")
	if i := strings.Index(why, "exec: "); i >= 0 {
		why = why[i+len("exec: "):]
	}
	return why, r.words != nil
}

func startCode(why string) int {
	if strings.Contains(why, "not found") || strings.Contains(why, "no such file") {
		return 127
	}
	return 126
}

// execCode waits for the code: the output may end a little before it is known.
func (e *Engine) execCode(ctx context.Context, id string) (int, error) {
	for range 100 {
		x, err := e.docker.ContainerExecInspect(ctx, id)
		if err != nil {
			return 125, e.wrap("exec", err)
		}
		if !x.Running {
			return x.ExitCode, nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return 125, errors.New("exec: the engine does not report the end of the command")
}

// LogsOptions are the options of Logs.
type LogsOptions struct {
	Follow     bool
	Tail       string // number of lines, or empty or "all"
	Since      string // time, or a duration such as 10m
	Timestamps bool
	Out, Err   io.Writer
}

// Logs writes what a container has written.
func (e *Engine) Logs(ctx context.Context, id string, o LogsOptions) error {
	api, err := e.api(ctx)
	if err != nil {
		return err
	}
	c, err := api.ContainerInspect(ctx, id)
	if err != nil {
		return e.wrap("look at container "+short(id), err)
	}
	r, err := api.ContainerLogs(ctx, id, container.LogsOptions{
		ShowStdout: true, ShowStderr: true, Follow: o.Follow, Tail: o.Tail, Since: o.Since, Timestamps: o.Timestamps,
	})
	if err != nil {
		return e.wrap("logs", err)
	}
	defer r.Close()
	if c.Config.Tty {
		_, err = io.Copy(o.Out, r)
	} else {
		_, err = stdcopy.StdCopy(o.Out, o.Err, r)
	}
	if err != nil {
		return e.wrap("logs", err)
	}
	return nil
}
