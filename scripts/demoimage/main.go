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
	r := runnertest.Recipe{
		Repository: runnertest.Demo,
		Package:    "heretic/scripts/demoagent",
		Program:    "bin/demo",
		Changes:    []string{`ENTRYPOINT ["/bin/demo", "with-time"]`, `CMD ["/bin/demo", "agent"]`, "ENV PATH=/bin"},
	}
	if uid := os.Getuid(); uid > 0 {
		r.Users = []runnertest.User{{Name: "agent", UID: uid, Home: "/home/agent", OwnsHome: true}}
		r.User = "agent"
	}
	return r.Build(ctx, cli)
}
