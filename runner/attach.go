package runner

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/docker/docker/api/types/container"

	"heretic/runner/internal/term"
)

// AttachOptions are the options of Attach.
type AttachOptions struct {
	Streams    Streams
	NoStdin    bool   // only watch: INT, QUIT and TERM detach too
	DetachKeys string // empty: DefaultDetachKeys
}

// Attach connects to a running container and stays until it ends or the user
// detaches. Signals are passed on as Run does, except HUP: closing the
// terminal detaches. The container's program is made to redraw its screen.
func (e *Engine) Attach(ctx context.Context, id string, o AttachOptions) (Result, error) {
	keys, err := detachKeys(o.DetachKeys)
	if err != nil {
		return failure(err)
	}
	c, err := e.running(ctx, id)
	if err != nil {
		return failure(err)
	}
	if c.Config.Tty && c.Config.OpenStdin && !o.NoStdin && !term.Is(o.Streams.In) {
		return failure(errNoTerminal)
	}
	signals := term.Subscribe()
	defer signals.Stop()
	ctx = context.WithoutCancel(ctx)
	a := &attachment{
		e: e, id: id, signals: signals, outlives: true, watches: o.NoStdin, until: container.WaitConditionNotRunning,
		o: streamOptions{tty: c.Config.Tty, streams: o.Streams, stdin: c.Config.OpenStdin && !o.NoStdin, keys: keys.bytes},
	}
	a.connect = container.AttachOptions{
		Stream: true, Stdin: a.o.stdin, Stdout: true, Stderr: true, DetachKeys: keys.text,
	}
	a.attached = func() error {
		// It may have ended in between, and attach would wait for ever.
		_, err := e.running(ctx, id)
		return err
	}
	if a.o.tty {
		a.enter = e.screenModes(ctx, id)
		a.start = func(ctx context.Context) error { e.redraw(ctx, id, o.Streams); return nil }
	}
	res, err := a.run(ctx)
	if !res.Detached {
		e.awaitListed(ctx, id)
	}
	return res, err
}

// screenModes returns what turns on the modes that the container's program has
// turned on before we came: the other screen, the mouse, bracketed paste. They
// are in its first output, as far as the engine has kept that.
func (e *Engine) screenModes(ctx context.Context, id string) []byte {
	ctx, cancel := context.WithTimeout(ctx, replayTime)
	defer cancel()
	r, err := e.docker.ContainerLogs(ctx, id, container.LogsOptions{ShowStdout: true, ShowStderr: true})
	if err != nil {
		return nil // a log driver that cannot be read
	}
	defer r.Close()
	var modes term.Modes
	_, _ = io.Copy(&modes, io.LimitReader(r, replayBytes))
	return modes.Enter()
}

const (
	replayBytes = 32 << 20
	replayTime  = 2 * time.Second
)

// redraw makes a full-screen program draw: it does so when the size changes,
// so the size becomes another one first.
func (e *Engine) redraw(ctx context.Context, id string, s Streams) {
	if size, ok := term.SizeOf(s.Out, s.In); ok {
		_ = e.docker.ContainerResize(ctx, id, container.ResizeOptions{Height: size.Rows + 1, Width: size.Cols + 1})
	}
}

// running looks a container up that one can attach to.
func (e *Engine) running(ctx context.Context, id string) (container.InspectResponse, error) {
	api, err := e.api(ctx)
	if err != nil {
		return container.InspectResponse{}, err
	}
	c, err := api.ContainerInspect(ctx, id)
	if err != nil {
		return c, e.wrap("look at container "+short(id), err)
	}
	switch st := c.State; {
	case st.Restarting:
		return c, &StateError{State: "restarting"}
	case st.Paused:
		return c, &StateError{State: "paused"}
	case !st.Running:
		return c, &StateError{State: e.quirks().state(st.Status), ExitCode: st.ExitCode}
	}
	return c, nil
}

// StateError is returned when a container is not in the state for a call.
type StateError struct {
	State    string // paused, restarting, exited ...
	ExitCode int    // of one that has exited
}

func (e *StateError) Error() string {
	if e.State == "exited" {
		return fmt.Sprintf("the container is not running: it exited with code %d", e.ExitCode)
	}
	return "the container is " + e.State
}
