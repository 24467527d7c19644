package runner

import (
	"context"
)

// Description is what an engine knows of one container.
type Description struct {
	Entrypoint, Cmd  []string
	Env              []string // NAME=value, the image's too
	WorkingDir, User string
	TTY              bool
	Network          string
	Mounts           []Mount
	Error            string // why it did not start
	OutOfMemory      bool   // the kernel killed something in it
}

// Describe looks a container up, running or not.
func (e *Engine) Describe(ctx context.Context, id string) (Description, error) {
	api, err := e.api(ctx)
	if err != nil {
		return Description{}, err
	}
	c, err := api.ContainerInspect(ctx, id)
	if err != nil {
		return Description{}, e.wrap("look at container "+short(id), err)
	}
	var d Description
	if c.Config != nil {
		d = Description{
			Entrypoint: c.Config.Entrypoint, Cmd: c.Config.Cmd, Env: c.Config.Env,
			WorkingDir: c.Config.WorkingDir, User: c.Config.User, TTY: c.Config.Tty,
		}
	}
	if c.ContainerJSONBase != nil && c.HostConfig != nil {
		d.Network = string(c.HostConfig.NetworkMode)
	}
	if c.ContainerJSONBase != nil && c.State != nil {
		d.Error, d.OutOfMemory = c.State.Error, c.State.OOMKilled
	}
	for _, m := range c.Mounts {
		d.Mounts = append(d.Mounts, Mount{Type: MountType(m.Type), Source: m.Source, Target: m.Destination, ReadOnly: !m.RW})
	}
	return d, nil
}
