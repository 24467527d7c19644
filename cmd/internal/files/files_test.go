package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// want fails unless path holds text with the mode, and its directory nothing
// else.
func want(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil || string(data) != text {
		t.Errorf("%s: %q, %v; want %q", path, data, err, text)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != mode && runtime.GOOS != "windows" { // which has no modes
		t.Errorf("%s: mode %v; want %v", path, info.Mode(), mode)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".tmp") {
			t.Errorf("%s is left", e.Name())
		}
	}
}

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "dir", "f")
	if err := Write(path, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	want(t, path, "one", 0o600)
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, []byte("two"), 0o600); err != nil {
		t.Fatal(err)
	}
	want(t, path, "two", 0o640)
}

func TestWriteFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "dotfiles", "f")
	link := filepath.Join(dir, "f")
	if err := os.Symlink("dotfiles/f", link); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "two"} { // first to a target that is not there
		if err := Write(link, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		want(t, target, text, 0o600)
	}
	if got, err := os.Readlink(link); err != nil || got != "dotfiles/f" {
		t.Errorf("the link is %q, %v", got, err)
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink("loop", loop); err != nil {
		t.Fatal(err)
	}
	if err := Write(loop, nil, 0o600); err == nil {
		t.Error("a loop of links was written to")
	}
}

func TestWriteRefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "f"), 0o755); err != nil {
		t.Fatal(err)
	}
	err := Write(filepath.Join(dir, "f"), []byte("x"), 0o600)
	if err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("got %v", err)
	}
}

func TestWriteBelow(t *testing.T) {
	project := t.TempDir()
	if err := WriteBelow(project, ".heretic/cli/a.yaml", []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	want(t, filepath.Join(project, ".heretic/cli/a.yaml"), "x", 0o644)
}

func TestWriteBelowStaysBelow(t *testing.T) {
	for _, link := range []string{".heretic", ".heretic/cli", ".heretic/cli/a.yaml"} {
		project, outside := t.TempDir(), t.TempDir()
		secret := filepath.Join(outside, "a.yaml")
		if err := os.WriteFile(secret, []byte("theirs"), 0o600); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(project, link)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		target := outside
		if strings.HasSuffix(link, ".yaml") {
			target = secret
		}
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
		if err := WriteBelow(project, ".heretic/cli/a.yaml", []byte("x"), 0o644); err == nil {
			t.Errorf("%s: written through the link", link)
		}
		want(t, secret, "theirs", 0o600)
		entries, err := os.ReadDir(outside)
		if err != nil || len(entries) != 1 {
			t.Errorf("%s: outside has %v, %v", link, entries, err)
		}
	}
}
