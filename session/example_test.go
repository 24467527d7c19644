package session_test

import (
	"context"
	"fmt"
	"os"

	"heretic/mcpconf"
	"heretic/mcpconf/target"
	"heretic/profile"
	"heretic/runner"
	"heretic/session"
)

// A plan is a value: what would be mounted and where each server would be is
// known before anything happens.
func ExampleNewPlan() {
	row, _ := target.Lookup("generic")
	plan, err := session.NewPlan(session.Request{
		Session: "feature-x", Target: row, Approved: true,
		Profile: profile.Profile{
			Name: "mine", Image: "my-agent", Project: "/src/app", Workspace: "/workspace",
			Volumes: []profile.Volume{{Source: "/src/app", Target: "/workspace"}},
			Servers: []mcpconf.Server{{Name: "memory", Type: mcpconf.Stdio, Command: "mcp-memory"}},
		},
	}, session.Facts{Mount: session.FileFact{Path: ".mcp.json"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plan.Spec.Name)
	for _, s := range plan.Servers {
		fmt.Println(s.Name, s.Delivered, s.At)
	}
	// Output:
	// heretic-feature-x-c0167fc9
	// memory mounted [/workspace/.mcp.json]
}

// Gather looks at the project and the image, Launch stays with the agent to
// its end.
func ExampleLaunch() {
	ctx := context.Background()
	engine, err := runner.Connect(ctx, runner.ConnectOptions{Lookup: os.LookupEnv})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer engine.Close()
	var req session.Request // from a resolved profile
	facts, err := session.Gather(ctx, engine, req)
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := session.NewPlan(req, facts)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := session.Launch(ctx, engine, plan, session.LaunchOptions{
		Streams: runner.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr},
	})
	fmt.Println(result.ExitCode, err)
}
