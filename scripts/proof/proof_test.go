//go:build unix

package proof

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// patience is how long one agent may take, on a machine that is busy.
const patience = 3 * time.Minute

func TestProof(t *testing.T) {
	image, model := agentImage(t), standin(t)
	results := newTable()
	t.Run("agents", func(t *testing.T) {
		for _, a := range agents() {
			t.Run(a.name, func(t *testing.T) {
				t.Parallel()
				for i, s := range sources() {
					t.Run(s.name, func(t *testing.T) {
						if i == 1 && a.tui != "" {
							for n := range attempts {
								if proveTerminal(t, a, s, image, model, n == attempts-1, results) {
									return
								}
							}
							return
						}
						proveAsked(t, a, s, image, model, i == 0 || a.ask == "", results)
					})
				}
			})
		}
	})
	t.Run("table", func(t *testing.T) { results.check(t) })
}

// attempts is how often an agent may start before its servers are ready. Some
// give them a fixed time, which a busy machine exceeds.
const attempts = 4

// proveAsked has the agent asked one thing: it must find its servers, call
// their tools and come back with the results, and nobody is there to answer a
// question.
func proveAsked(t *testing.T, a agent, s source, image, model string, list bool, results *table) {
	word := "word-" + strings.ToLower(strings.ReplaceAll(a.name+"-"+s.name, " ", "-"))
	command := ":"
	if a.ask != "" {
		command = withModel(word, a.ask)
	}
	if list {
		command = fmt.Sprintf("{ %s; } >/proof/list 2>&1 </dev/null; %s", a.list, command)
	}
	var b *bench
	var said string
	for n := range attempts {
		b = newBench(t, model)
		b.give(s, a.profileOf(image, command, s.profile))
		var err error
		if said, err = b.finish(b.run(s.flags()...)); err != nil {
			t.Fatalf("%s: %v\n%s\nthe model was asked: %+v", a.name, err, said, b.requests())
		}
		if a.ask == "" || saw(b.requests(), "Echo: "+word) {
			break
		}
		if n == attempts-1 {
			t.Fatalf("%s did not call the tools of both servers\n%s\nthe model was asked: %+v", a.name, said, b.requests())
		}
	}
	if left := leftBehind(b.project, s.files); len(left) > 0 {
		t.Errorf("left in the project: %q", left)
	}
	if list {
		b.checkList(a, results)
	}
	if a.ask == "" {
		return
	}
	results.set(a.name, "connected")
	all := b.requests()
	if !saw(all, "entities") || !saw(all, "Echo: "+word) || !strings.Contains(said, word) {
		t.Fatalf("the tools were not called, or the result does not show\n%s\nthe model was asked: %+v", said, all)
	}
	results.set(a.name, "called")
	if a.tui == "" {
		results.set(a.name, "approved")
	}
}

// finish runs to the end and returns what was printed.
func (b *bench) finish(run *exec.Cmd) (string, error) {
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	var out bytes.Buffer
	run.Stdout, run.Stderr = &out, &out
	if err := run.Start(); err != nil {
		return "", err
	}
	stop := context.AfterFunc(ctx, func() { _ = run.Process.Signal(os.Interrupt) })
	defer stop()
	err := run.Wait()
	return out.String(), err
}

// checkList looks at what the agent's own command lists.
func (b *bench) checkList(a agent, results *table) {
	b.t.Helper()
	text, err := os.ReadFile(filepath.Join(b.out, "list"))
	if err != nil {
		b.t.Fatal(err)
	}
	listed, connected := 0, 0
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, "memory") || strings.Contains(line, "everything") {
			listed++
			if strings.Contains(line, a.connected) {
				connected++
			}
		}
	}
	if listed < 2 || connected < 2 {
		b.t.Fatalf("%s does not list both servers (%s):\n%s", a.list, a.connected, text)
	}
	results.set(a.name, "listed")
	if a.connected != "" {
		results.set(a.name, "connected")
	}
}

// leftBehind are files of the project that were not there before.
func leftBehind(project string, files map[string]string) []string {
	var left []string
	_ = filepath.WalkDir(project, func(path string, d os.DirEntry, err error) error {
		name, _ := filepath.Rel(project, path)
		switch {
		case err != nil:
			left = append(left, err.Error())
		case name == ".heretic":
			return filepath.SkipDir
		case !d.IsDir() && files[filepath.ToSlash(name)] == "":
			left = append(left, name)
		}
		return nil
	})
	return left
}
