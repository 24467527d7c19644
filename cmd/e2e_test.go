//go:build unix

package cmd_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/client"
	"github.com/rogpeppe/go-internal/testscript"

	"heretic/runner/runnertest"
)

// TestEngineScripts runs the scripts that need an engine. $IMAGE is the image
// of the test agent (see scripts/testagent); $EXAMPLES are the examples that
// users are given. Whatever container a script leaves is an error.
func TestEngineScripts(t *testing.T) {
	image := runnertest.Image(t)
	engine := runnertest.Client(t)
	examples, err := filepath.Abs("../examples")
	if err != nil {
		t.Fatal(err)
	}
	commands := scriptCommands()
	commands["until"] = scriptUntil
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/e2e",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                commands,
		Setup: func(env *testscript.Env) error {
			if err := setupScript(env); err != nil {
				return err
			}
			env.Setenv("DOCKER_HOST", runnertest.Address())
			env.Setenv("IMAGE", image)
			env.Setenv("EXAMPLES", examples)
			project := filepath.Join(env.WorkDir, "project")
			env.Defer(func() { nothingLeft(t, engine, project) })
			return os.MkdirAll(project, 0o755)
		},
	})
}

// nothingLeft fails for containers of a project that are still there, and
// removes them.
func nothingLeft(t *testing.T, engine *client.Client, project string) {
	if real, err := filepath.EvalSymlinks(project); err == nil {
		project = real
	}
	ctx := context.WithoutCancel(t.Context()) // it is cancelled before the clean-up
	list, err := engine.ContainerList(ctx, container.ListOptions{
		All: true, Filters: filters.NewArgs(filters.Arg("label", "heretic.project="+project)),
	})
	if err != nil {
		t.Error(err)
		return
	}
	for _, c := range list {
		t.Errorf("container %v is left: %s", c.Names, c.Status)
		if err := engine.ContainerRemove(ctx, c.ID, container.RemoveOptions{Force: true}); err != nil {
			t.Error(err)
		}
	}
}
