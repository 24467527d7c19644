package session_test

import (
	"strings"
	"testing"

	"heretic/mcpconf/target"
	"heretic/session"
)

// An agent that will ask about the folder, or leave its servers out, is no
// surprise: the plan says so, and what to type.
func TestPlanTrustNote(t *testing.T) {
	for _, c := range []struct {
		agentType string
		activates []string
		trusted   bool
		want      string // of the note; empty: none
	}{
		{"gemini", []string{".gemini"}, false, "has no MCP servers until it does: it would obey the project's .gemini; approve that beforehand with: heretic trust mine"},
		{"claude", []string{".claude", ".mcp.json"}, false, "Claude Code asks before it trusts this folder: it would obey the project's .claude, .mcp.json"},
		{"gemini", []string{".gemini"}, true, ""},
		{"gemini", nil, false, ""},
		{"generic", []string{".claude"}, false, ""},
	} {
		row, ok := target.Lookup(c.agentType)
		if !ok {
			t.Fatal(c.agentType)
		}
		req, f := planRequest(row), planFacts(row)
		req.Trusted, f.Activates = c.trusted, c.activates
		p, err := session.NewPlan(req, f)
		if err != nil {
			t.Fatal(err)
		}
		var notes []string
		for _, n := range p.Notes {
			if strings.Contains(n.Text, "trust") {
				notes = append(notes, n.Text)
			}
		}
		if all := strings.Join(notes, "\n"); !strings.Contains(all, c.want) || c.want == "" && all != "" {
			t.Errorf("%s %v: notes %q, want %q", c.agentType, c.activates, all, c.want)
		}
	}
}
