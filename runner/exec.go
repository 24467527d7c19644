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
	keys, err := o.check()
	if err != nil {
		return 125, err
	}
	x := &execution{e: e, o: o, refused: &refusal{}}
	x.stream = streamOptions{tty: o.TTY, streams: o.Streams, stdin: o.Interactive, keys: keys.bytes, refusal: x.refused}
	if err := x.create(ctx, id, keys.text); err != nil {
		return 125, err
	}
	x.signals = term.Subscribe()
	defer x.signals.Stop()
	return x.run(context.WithoutCancel(ctx))
}

// check refuses what cannot work, before an exec is created: it cannot be
// deleted.
func (o ExecOptions) check() (keySequence, error) {
	if o.TTY && o.Interactive && !term.Is(o.Streams.In) {
		return keySequence{}, errNoTerminal
	}
	return detachKeys(o.DetachKeys)
}

// execution is one command of Exec.
type execution struct {
	e       *Engine
	o       ExecOptions
	id      string
	size    term.Size // of our terminal; zero when not known
	stream  streamOptions
	refused *refusal
	signals *term.Signals
}

// create tells the engine of the command in a container.
func (x *execution) create(ctx context.Context, id, detachKeys string) error {
	api, err := x.e.api(ctx)
	if err != nil {
		return err
	}
	x.refused.prefix = x.e.quirks().execRefusal
	if x.o.TTY {
		x.size, _ = term.SizeOf(x.o.Streams.Out, x.o.Streams.In)
	}
	made, err := api.ContainerExecCreate(ctx, id, container.ExecOptions{
		Cmd: x.o.Cmd, Env: x.o.Env, WorkingDir: x.o.WorkingDir, User: x.o.User, Tty: x.o.TTY, ConsoleSize: x.console(),
		AttachStdin: x.o.Interactive, AttachStdout: true, AttachStderr: true, DetachKeys: detachKeys,
	})
	if err != nil {
		if _, state := x.e.running(ctx, id); errors.As(state, new(*StateError)) {
			return state
		}
		return x.e.wrap("exec", err)
	}
	x.id = made.ID
	return nil
}

func (x *execution) console() *[2]uint {
	if x.size == (term.Size{}) {
		return nil
	}
	return &[2]uint{x.size.Rows, x.size.Cols}
}

// run starts the command, which is attaching to it, and stays until it ends.
func (x *execution) run(ctx context.Context) (int, error) {
	conn, err := x.e.docker.ContainerExecAttach(ctx, x.id, container.ExecAttachOptions{Tty: x.o.TTY, ConsoleSize: x.console()})
	if err != nil {
		return 125, x.e.wrap("exec", err)
	}
	defer conn.Close()
	if x.o.TTY {
		if x.stream.terminal, err = x.stream.raw(); err != nil {
			return 125, fmt.Errorf("raw mode: %w", err)
		}
		defer x.stream.terminal.Restore()
		defer x.followSize(ctx)()
	}
	st := startStream(conn, x.stream)
	defer st.close()
	return x.stay(ctx, st)
}

func (x *execution) followSize(ctx context.Context) (stop func()) {
	known := term.Size{}
	if x.e.quirks().consoleSize {
		known = x.size
	}
	return x.e.follow(ctx, x.o.Streams, known, func(ctx context.Context, s term.Size) error {
		return x.e.docker.ContainerExecResize(ctx, x.id, container.ResizeOptions{Height: s.Rows, Width: s.Cols})
	})
}

func (x *execution) stay(ctx context.Context, st *stream) (int, error) {
	for {
		select {
		case err := <-st.output:
			return x.ended(ctx, err)
		case end := <-st.input:
			if end != inputEOF {
				_ = x.stream.terminal.Leave()
				return 0, nil
			}
		case sig := <-x.signals.C:
			// The engine has no call that signals an exec.
			return 128 + term.Number(sig), nil
		}
	}
}

// ended gives the code of a command whose output has ended.
func (x *execution) ended(ctx context.Context, outputErr error) (int, error) {
	if outputErr != nil {
		r, err := result(exit{}, outputErr)
		return r.ExitCode, err
	}
	_ = x.stream.terminal.Restore()
	code, err := x.e.execCode(ctx, x.id)
	why, ok := x.refused.reason()
	switch {
	case err != nil || !ok:
		return code, err
	case code == 126 || code == 127:
		return startCode(why), fmt.Errorf("exec %s", why)
	}
	_, err = x.o.Streams.Out.Write(x.refused.words) // the command's own
	return code, err
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
