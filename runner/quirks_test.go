//go:build !windows

package runner

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"
	"github.com/google/go-cmp/cmp"

	"heretic/runner/runnertest/fakeengine"
)

func TestQuirksOf(t *testing.T) {
	for _, tt := range []struct {
		server, api       string
		kind              string
		sizeAtCreate, tmp bool
	}{
		{"Docker/20.10.24 (linux)", "1.41", "Docker", false, false},
		{"Docker/28.5.2 (linux)", "1.51", "Docker", true, false},
		{"Libpod/4.3.1 (linux)", "1.41", "Podman", false, true},
		{"Libpod/5.8.6 (linux)", "1.44", "Podman", false, true},
		{"", "1.44", "Docker", true, false},
	} {
		q := quirksOf(tt.server, tt.api)
		if q.kind != tt.kind || q.consoleSize != tt.sizeAtCreate || q.tmpfsCopiesUp != tt.tmp {
			t.Errorf("%s with API %s: %+v", tt.server, tt.api, q)
		}
		if got := q.state("stopped"); (got == "exited") != (tt.kind == "Podman") || q.state("running") != "running" {
			t.Errorf("%s: stopped is %q", tt.server, got)
		}
	}
}

// What Podman cannot mount is refused before the create call; Docker gets it.
func TestMountsAreCSV(t *testing.T) {
	dir := t.TempDir()
	quoted := filepath.Join(dir, `a"b`)
	if err := os.Mkdir(quoted, 0o755); err != nil {
		t.Fatal(err)
	}
	for server, refused := range map[string]bool{"Docker/20.10.24 (linux)": false, "Libpod/4.3.1 (linux)": true} {
		for _, m := range []Mount{
			{Type: Bind, Source: quoted, Target: "/x"},
			{Type: Bind, Source: dir, Target: `/x"y`},
			{Type: Bind, Source: dir, Target: "/x,y"},
		} {
			f := &fakeengine.Engine{Server: server, API: "1.41", Program: exits(0)}
			e, s := connect(t, f), spec()
			s.Mounts = []Mount{m}
			_, err := e.Run(t.Context(), RunOptions{Spec: s, Streams: discard()})
			if got, ok := errors.AsType[*specError](err); ok != refused || refused && got.hint == "" {
				t.Errorf("%s, %+v: got %v", server, m, err)
			}
			if created := slices.Contains(f.Calls(), "POST create"); created == refused {
				t.Errorf("%s, %+v: calls %q", server, m, f.Calls())
			}
		}
	}
}

func TestEmptyTmpfs(t *testing.T) {
	bind := mount.Mount{Type: mount.TypeBind, Source: "/p", Target: "/workspace"}
	user := map[string]string{"/tmp": "size=1m"}
	h := container.HostConfig{Tmpfs: user, Mounts: []mount.Mount{
		bind,
		{Type: mount.TypeTmpfs, Target: "/workspace/.heretic/temp", ReadOnly: true, TmpfsOptions: &mount.TmpfsOptions{Mode: 0o555}},
		{Type: mount.TypeTmpfs, Target: "/scratch"},
	}}
	emptyTmpfs(&h)
	if diff := cmp.Diff(h.Mounts, []mount.Mount{bind}); diff != "" {
		t.Error(diff)
	}
	want := map[string]string{
		"/tmp": "size=1m", "/scratch": "notmpcopyup", "/workspace/.heretic/temp": "notmpcopyup,ro,mode=0555",
	}
	if diff := cmp.Diff(h.Tmpfs, want); diff != "" {
		t.Error(diff)
	}
	if len(user) != 1 {
		t.Errorf("the caller's map became %v", user)
	}
}
