//go:build unix

package proof

import (
	"bytes"
	"context"
	"fmt"
	"os"
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
					t.Run(s.name, func(t *testing.T) { proveAsked(t, a, s, image, model, i == 0 || a.ask == "", results) })
				}
				if a.tui != "" {
					t.Run("terminal", func(t *testing.T) { proveTerminal(t, a, sources()[1], image, model, results) })
				}
			})
		}
	})
	t.Run("table", func(t *testing.T) { results.check(t) })
}

// proveAsked has the agent asked one thing: it must find its servers, call
// their tools and come back with the results, and nobody is there to answer a
// question.
func proveAsked(t *testing.T, a agent, s source, image, model string, list bool, results *table) {
	b := newBench(t, model)
	word := "word-" + strings.ToLower(strings.ReplaceAll(a.name+"-"+s.name, " ", "-"))
	command := ":"
	if a.ask != "" {
		command = withModel(word, a.ask)
	}
	if list {
		command = fmt.Sprintf("{ %s; } >/proof/list 2>&1 </dev/null; %s", a.list, command)
	}
	b.give(s, a.profileOf(image, command, s.profile))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	run := b.run(s.flags()...)
	var out, stderr bytes.Buffer
	run.Stdout, run.Stderr = &out, &stderr
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	stop := context.AfterFunc(ctx, func() { run.Process.Signal(os.Interrupt) })
	defer stop()
	err := run.Wait()
	fail := func(format string, args ...any) {
		t.Errorf(format+"\nheretic: %v\n%s\nthe agent: %s\nthe model was asked: %+v", append(args, err, &stderr, &out, b.requests())...)
	}
	if list {
		text, err := os.ReadFile(filepath.Join(b.out, "list"))
		if err != nil {
			fail("%v", err)
			return
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
		if listed < 2 {
			fail("%s does not list both servers:\n%s", a.list, text)
		} else {
			results.set(a.name, "listed")
		}
		if a.connected != "" && connected < 2 {
			fail("%s does not show both servers connected:\n%s", a.list, text)
		} else if a.connected != "" {
			results.set(a.name, "connected")
		}
	}
	if err != nil {
		fail("%s failed", a.ask)
	}
	if a.ask == "" {
		return
	}
	all := b.requests()
	if !offered(all, "read_graph") || !offered(all, "echo") {
		fail("%s was not offered the tools of both servers", a.name)
		return
	}
	results.set(a.name, "connected")
	if !saw(all, "entities") || !saw(all, "Echo: "+word) {
		fail("the tools were not called")
		return
	}
	if !strings.Contains(out.String()+stderr.String(), word) {
		fail("the result does not show")
		return
	}
	results.set(a.name, "called")
	if a.tui == "" {
		results.set(a.name, "approved")
	}
	if clean := leftBehind(b.project, s.files); len(clean) > 0 {
		t.Errorf("left in the project: %q", clean)
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
