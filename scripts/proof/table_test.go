//go:build unix

package proof

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"heretic/runner/image"
)

const (
	document   = "../../docs/agents.md"
	tableBegin = "<!-- proof: written by the proof, do not edit -->\n"
	tableEnd   = "<!-- end of proof -->\n"
)

func columns() []string { return []string{"listed", "connected", "called", "approved"} }

// table collects what was proved.
type table struct {
	mu   sync.Mutex
	done map[string][]string // agent -> columns
}

func newTable() *table { return &table{done: map[string][]string{}} }

func (r *table) set(agent, column string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.done[agent], column) {
		r.done[agent] = append(r.done[agent], column)
	}
}

// markdown is the table for people.
func (r *table) markdown() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	b.WriteString("| agent type | program | listed | connected | tool called | approved without question |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- |\n")
	for _, p := range image.Programs() {
		a, ok := agentNamed(p.Agent)
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "| `%s` | %s %s |", p.Agent, p.Package, p.Version)
		for _, c := range columns() {
			cell := "**no**"
			switch {
			case slices.Contains(r.done[p.Agent], c):
				cell = "yes"
			case a.limit != "":
				cell = "not offline"
			}
			fmt.Fprintf(&b, " %s |", cell)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func agentNamed(name string) (agent, bool) {
	i := slices.IndexFunc(agents(), func(a agent) bool { return a.name == name })
	if i < 0 {
		return agent{}, false
	}
	return agents()[i], true
}

// check prints the table and compares it with the one in the docs.
func (r *table) check(t *testing.T) {
	got := r.markdown()
	fmt.Fprintf(os.Stderr, "\n%s\n", got)
	data, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), tableBegin)
	old, after, ok2 := strings.Cut(rest, tableEnd)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", document)
	}
	if *update && !t.Failed() {
		if err := os.WriteFile(document, []byte(before+tableBegin+got+tableEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if old != got {
		t.Errorf("%s has another table; go test ./scripts/proof -run TestProof -update writes it", document)
	}
}
