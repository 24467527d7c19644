package store

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Folders in folders go together; what has content stays, and what holds it;
// what was there before was never ours; behind a link nothing is made.
func TestPlaceholders(t *testing.T) {
	project, elsewhere := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(project, "was"), 0o755); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" { // links take a privilege there
		if err := os.Mkdir(filepath.Join(project, "link"), 0o755); err != nil {
			t.Fatal(err)
		}
	} else if err := os.Symlink(elsewhere, filepath.Join(project, "link")); err != nil {
		t.Fatal(err)
	}
	st, err := Open(project)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	err = st.AddPlaceholders([]Placeholder{
		{Path: "a", Dir: true}, {Path: "a/b", Dir: true}, {Path: "a/b/c", Dir: true},
		{Path: "file"}, {Path: "full", Dir: true}, {Path: "full/sub", Dir: true},
		{Path: "link/x", Dir: true}, {Path: "was", Dir: true}, {Path: "was/new", Dir: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(elsewhere); err != nil || len(entries) > 0 {
		t.Errorf("made behind a link: %v, %v", entries, err)
	}
	if err := os.WriteFile(filepath.Join(project, "full", "content"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	keep := func(p Placeholder) bool { return p.Path == "file" }
	idle, err := st.IdlePlaceholders(keep)
	if err != nil {
		t.Fatal(err)
	}
	removed, err := st.DropPlaceholders(keep)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(idle, removed) {
		t.Errorf("said to be idle %v, removed %v", idle, removed)
	}
	removed = slices.DeleteFunc(removed, func(name string) bool { return strings.HasPrefix(name, "link") })
	for i, name := range removed {
		removed[i] = filepath.ToSlash(name)
	}
	slices.Sort(removed)
	if want := []string{"a", "a/b", "a/b/c", "full/sub", "was/new"}; !slices.Equal(removed, want) {
		t.Errorf("removed %v, want %v", removed, want)
	}
	for name, want := range map[string]bool{"a": false, "file": true, "full/content": true, "full/sub": false, "was": true, "was/new": false} {
		if _, err := os.Lstat(filepath.Join(project, filepath.FromSlash(name))); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, err := st.Placeholders(); err != nil || len(left) != 1 || left[0].Path != "file" {
		t.Errorf("recorded: %v, %v", left, err)
	}
}
