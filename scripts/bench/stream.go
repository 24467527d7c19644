package main

import (
	"context"
	"fmt"

	"github.com/docker/docker/api/types/container"
)

// stream compares how fast an agent's output comes through an attachment.
func (b *bench) stream(ctx context.Context) ([]row, error) {
	const mebi = 1024
	if err := b.profile("stream", fmt.Sprintf(profileText, b.image, "none")); err != nil {
		return nil, err
	}
	spec, err := b.template(ctx, "stream")
	if err != nil {
		return nil, err
	}
	// It waits for a line, then writes. Without a log: the engine's writing of
	// a log would be most of what is measured.
	spec.Config.Cmd = []string{"await", "burst", fmt.Sprint(mebi)}
	spec.Config.OpenStdin, spec.Config.StdinOnce = true, true
	spec.Config.Labels["heretic.project"] = b.project
	spec.HostConfig.LogConfig = container.LogConfig{Type: "none"}
	const name = "heretic-bench-stream"
	start := func(ctx context.Context) (string, error) {
		// What the one before left.
		b.docker.ContainerRemove(ctx, name, container.RemoveOptions{Force: true})
		c, err := b.docker.ContainerCreate(ctx, spec.Config, spec.HostConfig, nil, nil, name)
		if err != nil {
			return "", err
		}
		return c.ID, b.docker.ContainerStart(ctx, c.ID, container.StartOptions{})
	}
	defer b.docker.ContainerRemove(context.WithoutCancel(ctx), name, container.RemoveOptions{Force: true})
	s, err := b.alternate(ctx, max(3, b.pairs/6),
		subject{argv: []string{b.bin("heretic"), "attach"}, dir: b.project, stdin: "go\n", bytes: mebi << 20,
			before: func(ctx context.Context) (string, error) {
				_, err := start(ctx)
				return "stream", err
			}},
		subject{argv: []string{"docker", "attach"}, stdin: "go\n", bytes: mebi << 20, before: start},
	)
	if err != nil {
		return nil, err
	}
	return []row{
		compare("1 GiB through an attached stream", "`docker attach`", s[0], s[1], wall, seconds, 1),
		compare("1 GiB: client CPU", "`docker attach`", s[0], s[1], cpu, seconds, 0),
	}, nil
}
