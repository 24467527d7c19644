//go:build unix

package proof

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ownFile has one server that is not the profile's.
const ownFile = `{"mcpServers": {"own": {"type": "stdio", "command": "mcp-server-everything", "args": ["stdio"], "tools": ["*"]}}}`

// TestProofOwnFile proves which servers the agent has where the project has a
// file of its own.
func TestProofOwnFile(t *testing.T) {
	image, model := agentImage(t), standin(t)
	inline := sources()[2]
	for name, path := range map[string]string{"claude": ".mcp.json", "copilot-cli": ".copilot/mcp-config.json"} {
		a, _ := agentNamed(name)
		for _, c := range []struct {
			name, text, profile string
			own                 bool
		}{
			{"wins", ownFile, "", true},
			{"is overridden", ownFile, "mcp_override: true\n", false},
			{"is broken", `{"mcpServers": {`, "", false},
			{"is empty", "", "", false},
		} {
			t.Run(name+" "+c.name, func(t *testing.T) {
				t.Parallel()
				b := newBench(t, model)
				s := inline
				s.files = map[string]string{path: c.text}
				s.profile += c.profile
				b.give(s, a.profileOf(image, withModel("own", a.ask), s.profile))
				out, err := b.run("--trust").CombinedOutput()
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				all := b.requests()
				if offered(all, "read_graph") == c.own || offeredBy(all, "own") != c.own {
					t.Errorf("the project's server is to be used: %v\n%s\nthe model was asked: %+v", c.own, out, all)
				}
				if text, err := os.ReadFile(filepath.Join(b.project, path)); err != nil || string(text) != c.text {
					t.Errorf("the project's file is now %q, %v", text, err)
				}
			})
		}
	}
}

// offeredBy tells whether the model was offered a tool of this server.
func offeredBy(all []request, server string) bool {
	return slices.ContainsFunc(all, func(r request) bool {
		return slices.ContainsFunc(r.Tools, func(name string) bool {
			return strings.HasPrefix(strings.TrimPrefix(name, "mcp__"), server+"-") || strings.HasPrefix(name, "mcp__"+server+"__")
		})
	})
}

// TestProofUnapproved proves that what the project brings stays the agent's
// question until the user has approved it.
func TestProofUnapproved(t *testing.T) {
	image, model := agentImage(t), standin(t)
	a, _ := agentNamed("claude")
	b := newBench(t, model)
	s := source{
		files:   map[string]string{"servers.json": `{"mcpServers": {"memory": {"command": "mcp-server-memory"}}}`},
		profile: "mcp_file: servers.json\n",
	}
	b.give(s, a.profileOf(image, a.list, s.profile))
	for _, c := range []struct {
		flags []string
		want  string
	}{{nil, "Pending approval"}, {[]string{"--trust"}, "Connected"}, {nil, "Pending approval"}} {
		var out bytes.Buffer
		run := b.run(c.flags...)
		run.Stdout = &out
		if err := run.Run(); err != nil || !strings.Contains(out.String(), c.want) {
			t.Errorf("run %q: want %q, got %v\n%s", c.flags, c.want, err, &out)
		}
	}
}

// TestProofAcpxKeepsTheRest proves that acpx sees the project's file with its
// servers replaced, and that the host's file stays as it is.
func TestProofAcpxKeepsTheRest(t *testing.T) {
	image, model := agentImage(t), standin(t)
	a, _ := agentNamed("acpx")
	b := newBench(t, model)
	s := sources()[2]
	text := `{"defaultAgent": "codex",  "mcpServers": [{"name": "own", "command": "x", "args": [], "env": []}]}`
	s.files = map[string]string{".acpxrc.json": text}
	b.give(s, a.profileOf(image, "cat .acpxrc.json; acpx config show", s.profile))
	out, err := b.run("--trust").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{`"defaultAgent": "codex"`, `"memory"`, `"everything"`} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	if bytes.Contains(out, []byte(`"own"`)) {
		t.Errorf("the project's server is still there:\n%s", out)
	}
	if now, err := os.ReadFile(filepath.Join(b.project, ".acpxrc.json")); err != nil || string(now) != text {
		t.Errorf("the project's file is now %q, %v", now, err)
	}
}
