//go:build linux

package faulttest

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"heretic/runner/runnertest"
)

var tableFile = flag.String("table", "", "write the table to this file")

func TestMain(m *testing.M) {
	flag.Parse()
	runnertest.Filter()
	runnertest.HearHangups()
	if os.Geteuid() != 0 {
		fmt.Fprintln(os.Stderr, "faulttest: left out: it starts an engine and mounts file systems, which needs root")
		return
	}
	// The cells wait for the engine more than they compute.
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// results are the cells of the table, in words.
type results struct {
	mu    sync.Mutex
	cells map[string]string
}

func (r *results) set(row, column, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cells[row+"/"+column] = text
}

func TestEngineFaults(t *testing.T) {
	base := t.TempDir()
	bin := filepath.Join(base, "heretic")
	cmd := exec.Command("go", "build", "-o", bin, "heretic/cmd/heretic")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	// Before the engine starts: it has to see them.
	for p := range phases {
		mountSmall(t, filepath.Join(base, "full"+phases[p].name))
	}
	steady := startEngine(t, filepath.Join(base, "e1"))
	mortal := startEngine(t, filepath.Join(base, "e2"))
	immortal := startEngine(t, filepath.Join(base, "e3"), "--live-restore")
	res := &results{cells: map[string]string{}}
	t.Run("cells", func(t *testing.T) {
		playStops(t, bin, base, steady, res)
		playClosed(t, bin, base, steady)
		for i := range faults {
			f := &faults[i]
			play := func(t *testing.T, eng *engine, p phase, w want) {
				name := fmt.Sprintf("f%dp%d", i, p)
				c := &cell{
					t: t, bin: bin, eng: eng, fault: f, phase: p, want: w,
					dir: filepath.Join(base, name), tag: "heretic-test/agent:" + name,
				}
				c.project = filepath.Join(c.dir, "project")
				if f.name == "disk full" {
					c.project = filepath.Join(base, "full"+p.String())
				}
				if err := os.MkdirAll(c.project, 0o755); err != nil {
					t.Fatal(err)
				}
				text, err := c.run()
				if err != nil {
					t.Error(err)
					text = "FAILED"
				}
				res.set(f.name, p.String(), text)
			}
			switch f.name {
			case "engine killed", "engine killed, containers live":
				eng := mortal
				if !f.down {
					eng = immortal
				}
				t.Run(f.name, func(t *testing.T) {
					t.Parallel()
					for p := range phase(len(phases)) {
						if w, ok := f.want[p]; ok {
							t.Run(p.String(), func(t *testing.T) { play(t, eng, p, w) })
						}
					}
				})
			default:
				for p := range phase(len(phases)) {
					if w, ok := f.want[p]; ok {
						t.Run(f.name+"/"+p.String(), func(t *testing.T) { t.Parallel(); play(t, steady, p, w) })
					}
				}
			}
		}
	})
	table, stops := res.faultTable(), res.stopTable()
	t.Log("\n" + table + "\n" + stops)
	if *tableFile != "" && !t.Failed() {
		if err := os.WriteFile(*tableFile, []byte(document(table, stops)), 0o644); err != nil {
			t.Error(err)
		}
	}
}

// mountSmall mounts a file system of a megabyte.
func mountSmall(t *testing.T, dir string) {
	t.Helper()
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

// faultTable is the result in Markdown.
func (r *results) faultTable() string {
	var rows, columns []string
	for i := range faults {
		rows = append(rows, faults[i].name)
	}
	for _, p := range phases {
		columns = append(columns, p.name)
	}
	return r.table(rows, columns, func(row string) string { return row })
}

func (r *results) table(rows, columns []string, key func(row string) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| fault | %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat(" --- |", len(columns)+1))
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |", row)
		for _, column := range columns {
			text, ok := r.cells[key(row)+"/"+column]
			if !ok {
				text = "-"
			}
			fmt.Fprintf(&b, " %s |", text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// document is the page of the manual.
func document(table, stops string) string {
	var b strings.Builder
	b.WriteString(`# What is left after a fault

Something fails, or is killed, while a session is in some phase of its life. Each cell is one such case, played with the built program
under a terminal on a real engine; ` + "`make faults`" + ` plays them all and writes this page.

After each of them
- heretic ends within seconds, by itself, with the exit code in the cell, and its terminal has its own mode back (after SIGKILL nobody is
  there to do that: the shell does), with everything off that the agent's full-screen program had turned on;
- "clean": no container of the session is there, and the generated file neither if the agent never ran. After SIGKILL, and when the
  engine is down, that is so after the next heretic command; "agent runs on": the agent is untouched, and ` + "`ps`, `attach`, `stop`" + ` find it;
  "dead container": the agent has ended, and nobody could remove its container, which stays for ` + "`logs` until the next `run` or `prune`" + `;
- the next commands work: ` + "`ps`" + `, ` + "`stop`" + ` where the agent runs on, and a ` + "`run`" + ` of the same session;
- another session of the same project, which runs all the time, still does, with its own MCP configuration (unless the engine took its
  containers down);
- when that one is stopped too, nothing is left in the project but ` + "`.heretic`" + `, and no container.

`)
	b.WriteString(table)
	b.WriteString("\nThe faults:\n\n")
	for i := range faults {
		fmt.Fprintf(&b, "- %s: %s\n", faults[i].name, faults[i].doc)
	}
	b.WriteString("\nThe phases:\n\n")
	for _, p := range phases {
		fmt.Fprintf(&b, "- %s: %s\n", p.name, p.doc)
	}
	b.WriteString("\nA dash: the fault cannot happen there (the call is over, or the name is the session's own).\n")
	b.WriteString(`
## An interrupted stop

` + "`heretic stop`" + ` itself is ended. What it has not done is done by the same command when it is typed again; the other session runs on, and
in the end nothing is left, as above.

`)
	b.WriteString(stops)
	b.WriteString("\nThe phases:\n\n")
	for _, p := range stopPhases {
		fmt.Fprintf(&b, "- %s: %s\n", p.name, p.doc)
	}
	return b.String()
}
