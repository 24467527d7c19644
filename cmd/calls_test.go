//go:build linux

package cmd

import (
	"archive/tar"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/creack/pty"

	"heretic/cmd/internal/ui"
	"heretic/runner/runnertest/fakeengine"
)

// What one launch asks of the engine, and nothing else: each call takes its
// time. Those of one line are made at once.
func TestCallsOfALaunch(t *testing.T) {
	const (
		generic = "image: img\nagent_type: generic\nmcp: []\n"
		claude  = "image: img\nagent_type: claude\nmcp: [{name: a, command: b}]\n"
		alone   = "extra: {network: none}\n"
	)
	var (
		asks = []string{"HEAD _ping", "GET list"}
		user = []string{"HEAD _ping", "GET image json", "GET list"}
		runs = []string{
			"POST create",
			"POST attach", "POST wait",
			"POST start",
			"DELETE container", "GET list",
		}
		fills = []string{"POST create", "GET archive", "GET archive", "PUT archive", "DELETE container"}
	)
	for _, tt := range []struct {
		name, profile string
		api           string
		terminal      bool
		args          string
		earlier       bool // the session has run before
		want          []string
	}{
		{name: "bridge", profile: generic, want: slices.Concat(asks, runs)},
		{name: "no network", profile: generic + alone, want: slices.Concat(asks, runs)},
		{name: "terminal", profile: generic, terminal: true, want: slices.Concat(asks, runs)},
		{name: "terminal on an engine that takes no size at creation", profile: generic, terminal: true, api: "1.41",
			want: slices.Concat(asks, runs, []string{"POST resize"})},
		{name: "first with a home", profile: claude, want: slices.Concat(user, fills, runs)},
		{name: "again with a home", profile: claude, earlier: true, want: slices.Concat(user, runs)},
		{name: "again with a home, on a terminal", profile: claude + alone, earlier: true, terminal: true, want: slices.Concat(user, runs)},
		{name: "in the background", profile: generic, args: " -d", want: slices.Concat(asks, []string{"POST create", "POST start"})},
		{name: "dry run", profile: generic, args: " --dry-run"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			project := t.TempDir()
			var ends atomic.Bool
			eng := &fakeengine.Engine{
				API: cmp.Or(tt.api, "1.51"),
				Program: func(p *fakeengine.Process) int {
					if p.TTY && tt.api == "1.41" {
						<-p.Sizes
					}
					ends.Store(true)
					return 0
				},
			}
			eng.Handle = answerLaunch(eng)
			eng.Start(t)
			launch := launcher(t, eng, project, tt.profile, tt.terminal)
			if tt.earlier {
				launch("run agent")
			}
			before := len(eng.Calls())
			launch("run agent" + tt.args)
			got := eng.Calls()[before:]
			if !ends.Load() && strings.TrimSpace(tt.args) == "" {
				t.Error("the agent did not run")
			}
			slices.Sort(got) // calls that are made at once have no order
			want := slices.Sorted(slices.Values(tt.want))
			if !slices.Equal(got, want) {
				t.Errorf("calls %q\nwant  %q", got, want)
			}
		})
	}
}

// launcher returns what runs a command line of heretic on the engine.
func launcher(t *testing.T, eng *fakeengine.Engine, project, profile string, terminal bool) func(line string) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("HERETIC_HOME", home)
	t.Setenv("DOCKER_HOST", "unix://"+eng.Socket)
	t.Setenv("DOCKER_API_VERSION", "")
	if err := os.Mkdir(filepath.Join(home, "agents"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "agents", "agent.yaml"), []byte(profile), 0o600); err != nil {
		t.Fatal(err)
	}
	return func(line string) {
		t.Helper()
		streams, _, _, stderr := ui.Test()
		if terminal {
			person, tty, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer person.Close()
			defer tty.Close()
			if err := pty.Setsize(person, &pty.Winsize{Rows: 40, Cols: 120}); err != nil {
				t.Fatal(err)
			}
			streams = ui.NewStreams(tty, tty, tty, os.LookupEnv)
		}
		app := newApp(streams)
		defer app.close()
		if code := app.execute(t.Context(), append(strings.Fields(line), "-C", project)); code != 0 {
			t.Fatalf("heretic %s: code %d\n%s", line, code, stderr)
		}
	}
}

// answerLaunch answers what the fake engine does not know: it has no other
// container, and an image whose user is root and whose home is empty.
func answerLaunch(eng *fakeengine.Engine) func(call string, w http.ResponseWriter, r *http.Request) bool {
	return func(call string, w http.ResponseWriter, r *http.Request) bool {
		switch call {
		case "GET list":
			fakeengine.Reply(w, http.StatusOK, []any{})
		case "GET image json":
			fakeengine.Reply(w, http.StatusOK, map[string]any{"Id": "sha256:1", "Os": "linux", "Config": map[string]any{}})
		case "GET archive":
			fakeengine.Fail(w, http.StatusNotFound, "no such file")
		case "PUT archive":
			if err := unpack(eng.Created(""), r.Body); err != nil {
				fakeengine.Fail(w, http.StatusInternalServerError, "%v", err)
			}
		default:
			return false
		}
		return true
	}
}

// unpack puts an archive where the helper container has its one mount.
func unpack(created []byte, archive io.Reader) error {
	var helper struct {
		HostConfig struct{ Mounts []struct{ Source string } }
	}
	if err := json.Unmarshal(created, &helper); err != nil {
		return err
	}
	root, err := os.OpenRoot(helper.HostConfig.Mounts[0].Source)
	if err != nil {
		return err
	}
	defer root.Close()
	for files := tar.NewReader(archive); ; {
		h, err := files.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case h.Typeflag == tar.TypeDir:
			err = root.Mkdir(strings.TrimSuffix(h.Name, "/"), 0o700)
		default:
			var data []byte
			if data, err = io.ReadAll(files); err == nil {
				err = root.WriteFile(h.Name, data, 0o600)
			}
		}
		if err != nil {
			return err
		}
	}
}
