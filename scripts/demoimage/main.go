// Demoimage builds the image of the demo and prints its tag. The container's
// user has the uid of whoever runs this.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/docker/docker/client"

	"heretic/runner/runnertest"
)

func main() {
	tag, err := build(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	fmt.Println(tag)
}

func build(ctx context.Context) (string, error) {
	cli, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		return "", err
	}
	defer cli.Close()
	return runnertest.DemoAgent().Build(ctx, cli)
}
