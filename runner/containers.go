package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
)

// List returns the containers that carry all of labels; a label with an empty
// value only has to be there. Stopped ones are left out unless all is set.
func (e *Engine) List(ctx context.Context, labels map[string]string, all bool) ([]Container, error) {
	api, err := e.api(ctx)
	if err != nil {
		return nil, err
	}
	f := filters.NewArgs()
	for k, v := range labels {
		if v != "" {
			k += "=" + v
		}
		f.Add("label", k)
	}
	list, err := api.ContainerList(ctx, container.ListOptions{All: all, Filters: f})
	if err != nil {
		return nil, e.wrap("list containers", err)
	}
	out := make([]Container, 0, len(list))
	for _, s := range list {
		c := Container{
			ID: s.ID, Image: s.Image, State: e.quirks().state(s.State), Status: s.Status, ExitCode: exitOf(s.Status),
			Created: time.Unix(s.Created, 0), Labels: s.Labels, Ports: portText(s.Ports),
		}
		if len(s.Names) > 0 {
			c.Name = strings.TrimPrefix(s.Names[0], "/")
		}
		out = append(out, c)
	}
	return out, nil
}

// exitOf reads the code out of "Exited (137) 3 seconds ago".
func exitOf(status string) int {
	_, rest, ok := strings.Cut(status, "(")
	num, _, ok2 := strings.Cut(rest, ")")
	if n, err := strconv.Atoi(num); ok && ok2 && err == nil {
		return n
	}
	return 0
}

func portText(list []container.Port) []string {
	var out []string
	for _, p := range list {
		s := fmt.Sprintf("%d/%s", p.PrivatePort, p.Type)
		if p.PublicPort != 0 {
			s = fmt.Sprintf("%s:%d->%s", p.IP, p.PublicPort, s)
		}
		out = append(out, s)
	}
	return out
}

// Stop asks the container to end and kills it after timeout. A container that
// is not running is fine.
func (e *Engine) Stop(ctx context.Context, id string, timeout time.Duration) error {
	api, err := e.api(ctx)
	if err != nil {
		return err
	}
	secs := int((timeout + time.Second - 1) / time.Second)
	return e.wrap("stop container "+short(id), api.ContainerStop(ctx, id, container.StopOptions{Timeout: &secs}))
}

// Kill sends a signal ("KILL", "HUP" ...) to a container's first process.
func (e *Engine) Kill(ctx context.Context, id, signal string) error {
	api, err := e.api(ctx)
	if err != nil {
		return err
	}
	return e.wrap("signal container "+short(id), api.ContainerKill(ctx, id, signal))
}

// Remove removes a container and its anonymous volumes, running or not. One
// that is gone, or that somebody else is just removing, is fine.
func (e *Engine) Remove(ctx context.Context, id string) error {
	api, err := e.api(ctx)
	if err != nil {
		return err
	}
	err = api.ContainerRemove(ctx, id, container.RemoveOptions{Force: true, RemoveVolumes: true})
	switch {
	case errdefs.IsNotFound(err):
		return nil
	case errdefs.IsConflict(err) && strings.Contains(err.Error(), "already in progress"):
		_, err = e.wait(ctx, id, container.WaitConditionRemoved)
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		return err
	}
	return e.wrap("remove container "+short(id), err)
}

// CopyTo unpacks a tar stream into the directory path of a container, which
// need not run. What is there already is replaced, a directory by a file too.
func (e *Engine) CopyTo(ctx context.Context, id, path string, tar io.Reader) error {
	api, err := e.api(ctx)
	if err != nil {
		return err
	}
	return e.wrap("copy into the container", api.CopyToContainer(ctx, id, path, tar,
		container.CopyToContainerOptions{AllowOverwriteDirWithFile: true}))
}

// CopyFrom returns the tar stream of a path in a container.
func (e *Engine) CopyFrom(ctx context.Context, id, path string) (io.ReadCloser, error) {
	api, err := e.api(ctx)
	if err != nil {
		return nil, err
	}
	r, _, err := api.CopyFromContainer(ctx, id, path)
	return r, e.wrap("copy out of the container", err)
}

func short(id string) string { return id[:min(len(id), 12)] }
