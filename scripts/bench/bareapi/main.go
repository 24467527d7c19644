// Bareapi runs one container with nothing but the calls to the engine that it
// takes: create, attach, wait, start, remove. It is the floor for a launch.
// The container is read from a file: the JSON of its Config and HostConfig.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"
	"github.com/docker/docker/pkg/stdcopy"
)

func main() {
	if err := run(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "bareapi:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var spec struct {
		Config     *container.Config
		HostConfig *container.HostConfig
	}
	if err := json.Unmarshal(data, &spec); err != nil {
		return err
	}
	cli, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		return err
	}
	defer cli.Close()
	c, err := cli.ContainerCreate(ctx, spec.Config, spec.HostConfig, nil, nil, "")
	if err != nil {
		return err
	}
	stream, err := cli.ContainerAttach(ctx, c.ID, container.AttachOptions{Stream: true, Stdin: spec.Config.OpenStdin, Stdout: true, Stderr: true})
	if err != nil {
		return err
	}
	defer stream.Close()
	ended, failed := cli.ContainerWait(ctx, c.ID, container.WaitConditionNextExit)
	if err := cli.ContainerStart(ctx, c.ID, container.StartOptions{}); err != nil {
		return err
	}
	if _, err := stdcopy.StdCopy(os.Stdout, os.Stderr, stream.Reader); err != nil {
		return err
	}
	select {
	case end := <-ended:
		if end.StatusCode != 0 {
			return fmt.Errorf("the container ended with %d", end.StatusCode)
		}
	case err := <-failed:
		return err
	}
	return cli.ContainerRemove(ctx, c.ID, container.RemoveOptions{})
}
