//go:build unix

package proof

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// heretic is the program under test: this binary by another name.
func heretic(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "heretic", args...)
}

// bench is a project and a home for one agent, and a directory `out` that its
// container sees as /proof.
type bench struct {
	t                  *testing.T
	project, home, out string
	standin            string
}

func newBench(t *testing.T, standin string) *bench {
	t.Helper()
	dir := t.TempDir()
	b := &bench{t: t, project: filepath.Join(dir, "project"), home: filepath.Join(dir, "home"), out: filepath.Join(dir, "out"), standin: standin}
	for _, d := range []string{b.project, b.home, b.out} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(b.out, 0o777); err != nil {
		t.Fatal(err)
	}
	return b
}

// give puts the files of a source where they belong, and the profile beside
// them.
func (b *bench) give(s source, profile string) {
	b.t.Helper()
	b.write(b.project, s.files)
	b.write(b.home, s.own)
	b.write(b.home, map[string]string{".heretic/agents/it.yaml": profile})
}

func (b *bench) write(dir string, files map[string]string) {
	b.t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			b.t.Fatal(err)
		}
	}
}

// run is `heretic run` of the profile.
func (b *bench) run(args ...string) *exec.Cmd {
	words := append([]string{"run", "it", "-C", b.project,
		"-v", b.out + ":/proof", "-v", b.standin + ":/usr/local/bin/standin:ro"}, args...)
	cmd := heretic(b.t.Context(), words...)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(e string) bool {
		return strings.HasPrefix(e, "HERETIC_HOME=") || strings.HasPrefix(e, "HOME=")
	}), "HOME="+b.home, "PROOF_NOTE=from the host")
	return cmd
}

// request is a line of the stand-in's log.
type request struct {
	API     string
	Tools   []string
	Results []string
	Error   string
}

// requests are those for the model so far.
func (b *bench) requests() []request {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.out, "model"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		b.t.Fatal(err)
	}
	if i := bytes.LastIndexByte(data, '\n'); i >= 0 {
		data = data[:i] // the rest is being written
	}
	var all []request
	for dec := json.NewDecoder(bytes.NewReader(data)); ; {
		var r request
		if err := dec.Decode(&r); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			b.t.Fatal(err)
		}
		if r.API != "other" {
			all = append(all, r)
		}
	}
}

// offered tells whether the model was offered a tool whose name ends so.
func offered(all []request, tool string) bool {
	return slices.ContainsFunc(all, func(r request) bool {
		return slices.ContainsFunc(r.Tools, func(name string) bool { return strings.HasSuffix(name, tool) })
	})
}

// saw tells whether the model was given a tool's result with this text.
func saw(all []request, text string) bool {
	return slices.ContainsFunc(all, func(r request) bool {
		return slices.ContainsFunc(r.Results, func(s string) bool { return strings.Contains(s, text) })
	})
}

// withModel is a shell command that runs another with the stand-in beside it.
// The model reads the graph of the memory server, and has word echoed by the
// other one.
func withModel(word, command string) string {
	return fmt.Sprintf(`standin -log /proof/model -call read_graph={} -call 'echo={"message":"%s"}' -- sh -c %s`, word, quote(command))
}

// quote makes one word of a shell of s.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// standin builds the stand-in for the containers. Its sources are opened, so
// that go test knows that its result depends on them.
func standin(t *testing.T) string {
	t.Helper()
	sources, err := filepath.Glob("standin/*.go")
	if err != nil || len(sources) == 0 {
		t.Fatalf("the stand-in has no sources: %v", err)
	}
	for _, name := range sources {
		if _, err := os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "standin")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, "./standin")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOFLAGS=")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build ./standin: %v\n%s", err, text)
	}
	return path
}
