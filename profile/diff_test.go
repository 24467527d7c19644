package profile

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

func TestChanges(t *testing.T) {
	h := newHost(t, txtar.Parse([]byte(`
-- home/.heretic/agents/claude.yaml --
image: a
env: {A: 1, B: s3cret, C: x}
command: [a, b]
secrets: {K: s3cret}
extra: {memory: 4g}
mcp:
  - {name: one, command: a, env: {T: s3cret}}
  - {name: two, command: b}
-- project/.heretic/cli/claude.yaml --
image: b
env: {A: 1, B: other, D: "${X}"}
command: a c
secrets: {K: ~/get.sh}
extra: {memory: 2g}
volumes: [.:/src]
mcp:
  - {name: two, command: c}
  - {name: three, command: d}
`)))
	m, err := h.loader.Merge("claude", Options{})
	if err != nil {
		t.Fatal(err)
	}
	changes, err := m.Changes()
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&got, "%s: %q -> %q (%d -> %d)\n", c.Path, c.Was, c.Is, c.From.Pos.Line, c.By.Pos.Line)
	}
	want := `image: "a" -> "b" (1 -> 1)
env.B: "***" -> "***" (2 -> 2)
command: "[a, b]" -> "a c" (3 -> 3)
secrets.K: "***" -> "~/get.sh" (4 -> 4)
extra.memory: "4g" -> "2g" (5 -> 5)
env.D: "" -> "${X}" (0 -> 2)
volumes: "" -> "['.:/src']" (0 -> 6)
mcp.one: "server" -> "" (7 -> 0)
mcp.three: "" -> "server" (0 -> 9)
mcp.two: "server" -> "another server" (8 -> 8)
`
	if got.String() != want {
		t.Errorf("got:\n%swant:\n%s", got.String(), want)
	}
}
