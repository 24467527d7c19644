package mcpconf

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func stdio(name string) Server { return Server{Name: name, Type: Stdio, Command: "x"} }

func TestNames(t *testing.T) {
	long := strings.Repeat("n", 57)
	for _, tt := range []struct {
		form  Form
		names []string
		want  string // part of the error; empty: none
	}{
		{Claude, []string{"a b", "a-b", "a_b.c"}, ""},
		{Claude, []string{"a b", "a.b"}, "claude would merge its tools with those of 'a b' at in:1: both are mcp__a_b__..."},
		{Codex, []string{"a/b", "a.b"}, "codex would merge its tools"},
		{Claude, []string{"workspace"}, "claude keeps that name for itself"},
		{Claude, []string{"computer-use"}, "claude keeps that name for itself"},
		{Gemini, []string{"workspace"}, ""},
		{Gemini, []string{"__proto__"}, "gemini keeps that name for itself"},
		{Claude, []string{long[:56]}, ""},
		{Claude, []string{long}, "longer than 56 characters"},
		{Codex, []string{"a b"}, "codex never starts a server whose name has a space or is not ASCII"},
		{Codex, []string{"é"}, "codex never starts a server whose name has a space or is not ASCII"},
		{Claude, []string{"é"}, ""},
	} {
		var servers []Server
		for i, name := range tt.names {
			s := stdio(name)
			s.Pos = Pos{File: "in", Line: i + 1}
			servers = append(servers, s)
		}
		out, err := Render(tt.form, servers, RenderOptions{})
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s %q: %v", tt.form, tt.names, err)
		case tt.want == "" && !slices.Equal(out.Servers, tt.names):
			t.Errorf("%s %q: wrote %q", tt.form, tt.names, out.Servers)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s %q: error = %v\nwant %s", tt.form, tt.names, err, tt.want)
		}
	}
	disabled := stdio("a.b")
	disabled.Disabled = true
	if _, err := Render(Claude, []Server{stdio("a b"), disabled}, RenderOptions{}); err != nil {
		t.Errorf("a disabled server takes part in a collision: %v", err)
	}
}

func TestRenderRefuses(t *testing.T) {
	for _, tt := range []struct {
		form Form
		s    Server
		want string
	}{
		{Copilot, Server{Name: "a", Type: WS, URL: "wss://x"}, "copilot-cli has no ws transport"},
		{Codex, Server{Name: "a", Type: WS, URL: "wss://x"}, "codex has no ws transport"},
		{"goose", Server{Name: "a", Type: Stdio, Command: "x", Tools: []string{}}, "goose offers all tools when the list is empty"},
		{Claude, Server{Name: "a", Type: Stdio, Command: "x", Env: Vars{{"K", "\xff"}}}, "env.K: the value is not UTF-8 text"},
		{"nothing", stdio("a"), "unknown form 'nothing'"},
	} {
		_, err := Render(tt.form, []Server{tt.s}, RenderOptions{})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error = %v\nwant %s", tt.form, err, tt.want)
		}
	}
	if out, err := Render(Claude, []Server{{Name: "a", Type: WS, URL: "wss://x"}}, RenderOptions{}); err != nil || !strings.Contains(string(out.Data), `"type": "ws"`) {
		t.Errorf("claude knows ws: %v\n%s", err, out.Data)
	}
}

// TestLiteral has what each agent must be given so that it passes on exactly
// the value: measured with the real programs.
func TestLiteral(t *testing.T) {
	for _, tt := range []struct {
		form          Form
		value         string
		inArgs, inEnv string // as in the file
	}{
		{Claude, `p$ss ${X}`, `p$ss ${HERETIC_DOLLAR:-$}{X}`, ``},
		{Copilot, `p$ss ${X} $ 5$`, `p${HERETIC_DOLLAR:-$}ss ${HERETIC_DOLLAR:-$}{X} $ 5$`, ``},
		{Gemini, `p$ss ${X}`, `p${HERETIC_DOLLAR:-$}ss ${HERETIC_DOLLAR:-$}{X}`, `p\\${HERETIC_DOLLAR:-$}ss \\${HERETIC_DOLLAR:-$}{X}`},
		{Gemini, `\$ $`, `\\$ $`, `\\\\$ $`},
		{Qwen, `p$ss ${X}`, `p${HERETIC_DOLLAR}ss ${HERETIC_DOLLAR}{X}`, ``},
		{Amp, `p$ss ${X}`, `p$ss ${HERETIC_DOLLAR}{X}`, ``},
		{Opencode, `p$ss ${X} {env:A} {file:/b} {"c"}`, `p$ss ${X} \u007benv:A} \u007bfile:/b} {\"c\"}`, ``},
		{Cline, `p$ss ${X} {env:A}`, `p$ss ${X} {env:A}`, ``},
		{Acpx, `p$ss ${X}`, `p$ss ${X}`, ``},
		{Codex, `p$ss ${X}`, `p$ss ${X}`, ``},
	} {
		s := Server{Name: "a", Type: Stdio, Command: "x", Args: []string{tt.value}, Env: Vars{{"K", tt.value}}}
		out, err := Render(tt.form, []Server{s}, RenderOptions{})
		if err != nil {
			t.Errorf("%s: %v", tt.form, err)
			continue
		}
		inEnv := tt.inEnv
		if inEnv == "" {
			inEnv = tt.inArgs
		}
		got := string(out.Data)
		arg, env := strings.Index(got, `"`+tt.inArgs+`"`), strings.LastIndex(got, `"`+inEnv+`"`)
		if arg < 0 || env <= arg {
			t.Errorf("%s: want %s and %s in\n%s", tt.form, tt.inArgs, inEnv, got)
		}
	}
}

func TestMergeDiffMap(t *testing.T) {
	b2 := stdio("b")
	b2.Args = []string{"new"}
	base := []Server{stdio("a"), stdio("b"), stdio("c")}
	over := []Server{b2, stdio("d")}
	merged := Merge(base, over)
	var names []string
	for _, s := range merged {
		names = append(names, s.Name)
	}
	if !slices.Equal(names, []string{"a", "b", "c", "d"}) || len(merged[1].Args) != 1 || len(base[1].Args) != 0 {
		t.Errorf("merged %q, base %v", names, base)
	}
	want := Changes{Added: []string{"d"}, Replaced: []string{"b"}, Kept: []string{"a", "c"}}
	if diff := cmp.Diff(want, Diff(base, merged)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Changes{Kept: []string{"a"}, Removed: []string{"b", "c"}}, Diff(base, base[:1])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	s := Server{
		Name: "m", Type: Stdio, Command: "c", Args: []string{"a0", "bad"}, Cwd: "d",
		Env: Vars{{"K", "v"}, {"E", "bad"}}, Headers: Vars{{"H", "h"}}, URL: "u",
	}
	var paths []string
	broken := errors.New("broken")
	out, err := s.Map(func(path, v string, _ Pos) (string, error) {
		paths = append(paths, path)
		if v == "bad" {
			return "", broken
		}
		return v + "!", nil
	})
	if !errors.Is(err, broken) || strings.Count(err.Error(), "broken") != 2 {
		t.Errorf("error = %v", err)
	}
	if want := []string{"command", "args[0]", "args[1]", "cwd", "url", "headers.H", "env.K", "env.E"}; !slices.Equal(paths, want) {
		t.Errorf("paths %q", paths)
	}
	if out.Args[0] != "a0!" || s.Args[0] != "a0" || out.Env[0].Value != "v!" || s.Env[0].Value != "v" {
		t.Errorf("mapped %v from %v", out, s)
	}
}
