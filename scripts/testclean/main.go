// Testclean removes the images that the tests made, and fails when it finds
// containers that a test left behind.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/docker/docker/client"

	"heretic/runner/runnertest"
)

func main() {
	addr := runnertest.Address()
	if addr == "" {
		addr = client.DefaultDockerHost
		if host := os.Getenv(client.EnvOverrideHost); host != "" {
			addr = host
		}
	}
	log := func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
	if err := runnertest.Clean(context.Background(), addr, log); err != nil {
		log("error: %v", err)
		os.Exit(1)
	}
}
