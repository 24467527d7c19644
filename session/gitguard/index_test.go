//go:build unix

package gitguard

import (
	"bytes"
	"crypto/sha1"
	"path/filepath"
	"strings"
	"testing"
)

// The index of a project is whatever somebody wrote there: it is read in
// bounded time, and a name that is found is in it.
func FuzzInIndex(f *testing.F) {
	entry := string(make([]byte, 60)) + "\x00\x01"
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x01"+entry+"a\x00"), "a")
	f.Add([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x02"+entry+"\x00ab\x00"+entry+"\x01c\x00"), "ac")
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00link\x00\x00\x00\x14"+strings.Repeat("h", 20)), "h")
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		found, rest := inIndex(data, name)
		if last := name[max(0, len(name)-1):]; found && !bytes.Contains(data, []byte(last)) {
			t.Errorf("%q was found in %q", name, data)
		}
		if base := sharedIndex(rest, sha1.Size); base != "" && len(base) != 2*sha1.Size {
			t.Errorf("shared index %q", base)
		}
	})
}

// inIndex looks for an entry, and returns what comes after all.
func inIndex(data []byte, name string) (found bool, rest []byte) {
	rest = entries(data, sha1.Size, func(_ uint32, path string) bool {
		found = found || path == name
		return true
	})
	return found, rest
}

// A version 4 entry repeats the path before it: what it adds up to is bounded.
func TestInIndexBounds(t *testing.T) {
	entry := string(make([]byte, 60)) + "\x00\x01"
	data := []byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x02" + entry + "\x00" + strings.Repeat("a", maxPath) + "\x00" + entry + "\x00b\x00")
	if found, _ := inIndex(data, strings.Repeat("a", maxPath)+"b"); found {
		t.Error("a path longer than any file system's was put together")
	}
}

func TestTracked(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) { testTracked(t, repo(t, "--object-format="+format)) })
	}
}

func testTracked(t *testing.T, dir string) {
	write(t, filepath.Join(dir, "long/path/to/file"), "x")
	write(t, filepath.Join(dir, ".mcp.json"), "{}")
	git(t, dir, "add", "long", ".mcp.json")
	write(t, filepath.Join(dir, "untracked"), "x")
	git(t, dir, "add", "-N", "untracked") // an extended entry
	for _, how := range [][]string{
		{"--index-version", "2"}, {"--index-version", "3"}, {"--index-version", "4"},
		{"--split-index"}, {"--index-version", "2"}, {"--no-split-index"},
	} {
		git(t, dir, append([]string{"update-index"}, how...)...)
		l, err := Inspect(dir)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]bool{"a": true, ".mcp.json": true, "long/path/to/file": true, "untracked": true, "long": false, ".mcp": false} {
			if got := l.Tracked(name); got != want {
				t.Errorf("after %v: %s tracked: %v", how, name, got)
			}
		}
	}
}
