//go:build linux

package walltest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/container"
	"golang.org/x/sys/unix"
)

// TestEngineSwaps exchanges what heretic writes to for links that lead out of
// the project, over and over, while heretic works.
func TestEngineSwaps(t *testing.T) {
	bin := build(t)
	for _, name := range []string{".heretic", ".heretic/temp", ".heretic/temp/a", ".heretic/temp/.gitignore", ".mcp.json"} {
		t.Run(strings.ReplaceAll(name, "/", "-"), func(t *testing.T) {
			w := newWall(t, bin)
			w.write(outside(w), victim)
			place := filepath.Join(w.project, name)
			aside := filepath.Join(w.base, "aside")
			stop := make(chan struct{})
			swaps := 0
			var swapping sync.WaitGroup
			swapping.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					// Each of these fails whenever heretic was in between.
					moved := os.Rename(place, aside) == nil
					if os.Symlink(filepath.Dir(outside(w)), place) == nil {
						swaps++
						os.Remove(place)
					}
					if moved {
						if os.Rename(aside, place) != nil {
							os.RemoveAll(aside)
						}
					}
				}
			})
			for range 4 {
				w.heretic("run", "a", "--", "exit", "0")
				w.heretic("run", "a", "-d", "--", "sleep", "60")
				w.heretic("stop", "a")
				w.heretic("prune", "--sessions", "--yes")
			}
			close(stop)
			swapping.Wait()
			if swaps == 0 {
				t.Error("nothing was swapped")
			}
			if data, err := os.ReadFile(outside(w)); err != nil || string(data) != victim {
				t.Errorf("a file outside of the project was changed: %q, %v", data, err)
			}
			w.checkOutside()
		})
	}
}

// checkOutside looks for what was written outside of the project.
func (w *wall) checkOutside() {
	w.t.Helper()
	version, err := w.engine.ServerVersion(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	// Podman makes a folder of a mount's source that is not there any more: the
	// link came after heretic had looked. It is empty.
	podman := slices.ContainsFunc(version.Components, func(c types.ComponentVersion) bool { return c.Name == "Podman Engine" })
	err = filepath.WalkDir(filepath.Dir(outside(w)), func(path string, d fs.DirEntry, err error) error {
		if err == nil && path != outside(w) && path != filepath.Dir(outside(w)) && !(podman && d.IsDir()) {
			w.t.Errorf("%s was written outside of the project", path)
		}
		return err
	})
	if err != nil {
		w.t.Error(err)
	}
}

// TestEngineHostileFiles puts what is no sane file where heretic reads one: it
// ends soon, with little memory, and prints nothing raw.
func TestEngineHostileFiles(t *testing.T) {
	w := newWall(t, build(t))
	w.write(filepath.Join(w.project, "Dockerfile"), "FROM scratch\n")
	kinds := map[string]func(file string) error{
		"FIFO": func(file string) error { return unix.Mkfifo(file, 0o644) },
		"100 MB": func(file string) error {
			return errors.Join(os.WriteFile(file, nil, 0o644), os.Truncate(file, 100<<20))
		},
		"deep": func(file string) error { return os.WriteFile(file, []byte(strings.Repeat("[", 10000)), 0o644) },
	}
	profile := "image: " + w.image + "\nagent_type: generic\nmcp: [{name: a, command: npx}]\n"
	run := []string{"run", "a", "--", "exit", "0"}
	for _, place := range []struct {
		file string // below the base
		add  string // to the profile
		args []string
	}{
		{file: "heretic/agents/a.yaml"},
		{file: "heretic/settings.yaml"},
		{file: "project/.heretic/cli/a.yaml"},
		{file: "project/servers", add: "mcp_file: servers\n"},
		{file: "project/vars", add: "env_file: vars\n"},
		{file: "project/settings", add: "claude_settings: settings\n"},
		{file: "project/.mcp.json"},
		{file: "project/.claude/settings.json"},
		{file: "project/.git/config"},
		{file: "project/.git/index"},
		{file: "project/.git"},
		{file: "project/.dockerignore", args: []string{"doctor"}},
		{file: "project/servers", args: []string{"run", "a", "--mcp", "servers", "--", "exit", "0"}},
		{file: ".docker/config.json"},
	} {
		for kind, put := range kinds {
			t.Run(kind+" "+strings.ReplaceAll(place.file, "/", "-"), func(t *testing.T) {
				file := filepath.Join(w.base, place.file)
				w.profile(profile + place.add)
				if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.RemoveAll(file), put(file)); err != nil {
					t.Fatal(err)
				}
				defer os.RemoveAll(file)
				args := place.args
				if args == nil {
					args = run
				}
				out, code, memory := w.measured(args...)
				if !slices.Contains([]int{0, 1, 3, 125}, code) {
					t.Errorf("exit %d\n%.500s", code, out)
				}
				if memory > 400<<10 {
					t.Errorf("%d KiB of memory", memory)
				}
				raw(t, out)
			})
		}
	}
}

// raw looks for control characters that reached the terminal.
func raw(t *testing.T, out string) {
	t.Helper()
	if i := strings.IndexFunc(out, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }); i >= 0 {
		t.Errorf("raw control characters: %.200q", out[max(0, i-50):])
	}
}

// TestEngineNames puts terminal escapes wherever a name comes from.
func TestEngineNames(t *testing.T) {
	const evil = "x\x1b]0;owned\x07\r\x1b[2J"
	w := newWall(t, build(t))
	w.project = filepath.Join(w.base, "p"+evil+"\nq")
	w.write(filepath.Join(w.project, "README.md"), "a project\n")
	w.write(filepath.Join(w.home, "agents", evil+".yaml"), "image: x\n")
	w.write(filepath.Join(w.project, ".heretic", "cli", evil+".yaml"), "image: x\n")
	made, err := w.engine.ContainerCreate(t.Context(), &container.Config{Image: w.image, Labels: map[string]string{
		"heretic.managed": "true", "heretic.project": w.project, "heretic.session": evil, "heretic.agent": evil,
		"heretic.agent-type": evil, "heretic.workspace": evil, "heretic.detach-keys": evil, "heretic.placeholders": evil,
	}, Cmd: []string{"sleep", "60"}}, nil, nil, nil, "")
	if err == nil {
		err = w.engine.ContainerStart(t.Context(), made.ID, container.StartOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"ps"}, {"ps", "--all"}, {"ps", "--json"}, {"ps", "-q"}, {"logs", "nope"}, {"stop", "nope"}, {"exec", "nope", "--", "x"},
		{"agents", "list"}, {"agents", "show", evil}, {"agents", "validate"}, {"doctor"}, {"trust", "--list"},
		{"run", evil}, {"run", "a", "-s", evil}, {"run", "a", "--dry-run"}, {"run", "a", "--", "exit", "0"}, {evil},
		{"attach", evil}, {"stop", evil}, {"mcp", "render", evil}, {"image", "build", evil}, {"run", "a", "--mcp", evil},
		{"__complete", "stop", ""}, {"stop"}, {"prune", "--yes"},
	} {
		t.Run(args[0], func(t *testing.T) {
			out, _ := w.heretic(args...)
			raw(t, out)
		})
	}
}
