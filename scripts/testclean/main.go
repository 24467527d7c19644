// Testclean removes the image of the test agent, with -all every image that
// tests and demo made, and fails when it finds containers that a test left behind.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/docker/docker/client"

	"heretic/runner/runnertest"
)

func main() {
	all := flag.Bool("all", false, "remove the images that are kept between test runs, too")
	flag.Parse()
	patterns := []string{runnertest.Agents}
	if *all {
		patterns = []string{runnertest.AllImages, runnertest.Proof, runnertest.Demo}
	}
	addr := runnertest.Address()
	if addr == "" {
		addr = client.DefaultDockerHost
		if host := os.Getenv(client.EnvOverrideHost); host != "" {
			addr = host
		}
	}
	log := func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
	if err := runnertest.Clean(context.Background(), addr, log, patterns...); err != nil {
		log("error: %v", err)
		os.Exit(1)
	}
}
