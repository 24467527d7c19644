package runner

import (
	"context"
	"fmt"
	"io"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/pkg/stdcopy"

	"heretic/runner/internal/term"
)

// LogsOptions are the options of Logs.
type LogsOptions struct {
	Follow     bool
	Tail       string // number of lines, or empty or "all"
	Since      string // time, or a duration such as 10m
	Timestamps bool
	Out, Err   io.Writer
}

// Logs writes what a container has written. A terminal that it is written to is
// left in the modes it had: a program that draws may have left some on, or the
// log ends before it turns them off.
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
	if !c.Config.Tty {
		_, err = stdcopy.StdCopy(o.Out, o.Err, r)
		return e.wrap("logs", err)
	}
	out, err := term.Raw(nil, o.Out)
	if err != nil {
		return fmt.Errorf("raw mode: %w", err)
	}
	defer out.Restore()
	_, err = io.Copy(out, r)
	return e.wrap("logs", err)
}
