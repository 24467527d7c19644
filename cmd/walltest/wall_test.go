//go:build linux

package walltest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/client"

	"heretic/runner/runnertest"
)

func TestMain(m *testing.M) {
	runnertest.Filter()
	os.Exit(m.Run())
}

// wall is a user with a profile, and a project beside it.
type wall struct {
	t                   testing.TB
	bin, image          string
	home, project, base string
	env                 []string
	engine              *client.Client
}

func newWall(t *testing.T, bin string) *wall {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &wall{
		t: t, bin: bin, image: runnertest.Image(t), engine: runnertest.Client(t), base: base,
		home: filepath.Join(base, "heretic"), project: filepath.Join(base, "project"),
	}
	w.env = append(os.Environ(), "HOME="+base, "HERETIC_HOME="+w.home, "DOCKER_HOST="+runnertest.Address())
	w.write(filepath.Join(w.project, "README.md"), "a project\n")
	w.profile("image: " + w.image + "\nagent_type: generic\nmcp: [{name: a, command: npx}]\n")
	t.Cleanup(w.removeContainers)
	return w
}

func (w *wall) profile(yaml string) { w.write(filepath.Join(w.home, "agents", "a.yaml"), yaml) }

func (w *wall) write(path, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// heretic runs the program in the project and returns all it printed.
func (w *wall) heretic(args ...string) (out string, code int) {
	w.t.Helper()
	out, code, _ = w.measured(args...)
	return out, code
}

// measured is heretic that tells its peak of memory too, in KiB. It has a
// minute.
func (w *wall) measured(args ...string) (out string, code int, memory int64) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, w.bin, args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = w.project, w.env, time.Second
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	err := cmd.Run()
	if ctx.Err() != nil {
		w.t.Fatalf("heretic %q hangs: %v\n%s", args, err, b.String())
	}
	if _, ok := errors.AsType[*exec.ExitError](err); !ok && err != nil {
		w.t.Fatalf("heretic %q: %v", args, err)
	}
	return b.String(), cmd.ProcessState.ExitCode(), cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
}

// must is heretic that is to end with code 0.
func (w *wall) must(args ...string) string {
	w.t.Helper()
	out, code := w.heretic(args...)
	if code != 0 {
		w.t.Fatalf("heretic %q: exit %d\n%s", args, code, out)
	}
	return out
}

// containers are those of heretic in the project.
func (w *wall) containers() []container.Summary {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	list, err := w.engine.ContainerList(ctx, container.ListOptions{
		All: true, Filters: filters.NewArgs(filters.Arg("label", "heretic.project="+w.project)),
	})
	if err != nil {
		w.t.Error(err)
	}
	return list
}

func (w *wall) removeContainers() {
	for _, c := range w.containers() {
		if err := w.engine.ContainerRemove(context.Background(), c.ID, container.RemoveOptions{Force: true}); err != nil {
			w.t.Error(err)
		}
	}
}

// build makes the program under test.
func build(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "heretic")
	cmd := exec.Command("go", "build", "-o", bin, "heretic/cmd/heretic")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return bin
}

// filesWith returns the files below dir that contain a marker.
func filesWith(t testing.TB, dir, marker string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), marker) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
