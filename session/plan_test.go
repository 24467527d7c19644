package session_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heretic/mcpconf"
	"heretic/mcpconf/target"
	"heretic/profile"
	"heretic/session"
	"heretic/session/gitguard"
	"heretic/session/home"
)

var update = flag.Bool("update", false, "write the golden files")

// planRequest has a bit of everything, and a marker wherever a secret may be.
func planRequest(t target.Target) session.Request {
	return session.Request{
		Session: "s", Target: t, Approved: true, Terminal: true, Version: "1.2.3",
		Profile: profile.Profile{
			Name: "mine", Image: "agents", AgentType: t.Name, Project: "/project", Workspace: "/workspace", Workdir: "/workspace",
			Command: []string{"agent", "--token=marker-token", "--key=marker-host"}, Interactive: true, TTY: true,
			Volumes: []profile.Volume{{Source: "/project", Target: "/workspace"}, {Source: "cache", Target: "/cache", Named: true}},
			Env: []profile.EnvVar{
				{Name: "ANTHROPIC_API_KEY", Value: "marker-key", Secret: true}, {Name: "TERM", Value: "xterm"},
			},
			SecretFiles: []profile.SecretFile{{Name: "TOKEN", Value: "marker-token"}}, Sensitive: []string{"marker-host"},
			Extra: profile.Extra{ProtectHooks: true, Labels: []mcpconf.Var{{Name: "team", Value: "marker-host"}, {Name: session.LabelManaged, Value: "no"}}},
			Servers: []mcpconf.Server{
				{Name: "memory", Type: mcpconf.Stdio, Command: "mcp-memory", Env: mcpconf.Vars{{Name: "T", Value: "marker-env"}}},
				{Name: "docs", Type: mcpconf.HTTP, URL: "https://example.com/mcp", Headers: mcpconf.Vars{{Name: "Authorization", Value: "Bearer marker-header"}}},
				{Name: "off", Type: mcpconf.Stdio, Command: "x", Disabled: true},
			},
		},
	}
}

func planFacts(t target.Target) session.Facts {
	return session.Facts{
		Own: session.FileFact{Path: t.OwnFile}, Mount: session.FileFact{Path: t.Path},
		User: home.User{Known: true, UID: 1000, GID: 1000, Home: "/srv/agent"},
		Git:  gitguard.Layout{Dir: "/project/.git", Hooks: []string{filepath.FromSlash("/project/.git/hooks")}},
	}
}

// TestPlanGolden holds what a dry run shows for each agent type.
func TestPlanGolden(t *testing.T) {
	for _, row := range target.All() {
		t.Run(row.Name, func(t *testing.T) {
			p, err := session.NewPlan(planRequest(row), planFacts(row))
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			enc := json.NewEncoder(&got)
			enc.SetIndent("", "  ")
			if err := enc.Encode(p); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(got.String(), "marker") {
				t.Error("a secret is shown")
			}
			file := filepath.Join("testdata", "plan", row.Name+".json")
			if *update {
				if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			plan := got.String()
			if filepath.Separator == '\\' {
				plan = strings.ReplaceAll(plan, `\\`, "/")
			}
			if diff := cmp.Diff(string(want), plan); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestPlanOwnFile(t *testing.T) {
	claude, _ := target.Lookup("claude")
	copilot, _ := target.Lookup("copilot-cli")
	for name, c := range map[string]struct {
		row      target.Target
		state    session.FileState
		override bool
		want     session.Delivered
		note     string
		source   string // of the mount; empty: none
		fails    string
	}{
		"absent":           {row: claude, want: session.AsFile, source: "/project/.heretic/temp/s/.mcp.json"},
		"usable":           {row: claude, state: session.Usable, want: session.Hidden, note: "own .mcp.json is used"},
		"overridden":       {row: claude, state: session.Usable, override: true, want: session.AsFile, note: "mcp_override", source: "/project/.heretic/temp/s/.mcp.json"},
		"empty":            {row: claude, state: session.Empty, want: session.AsFile, note: "is empty", source: "/project/.heretic/temp/s/.mcp.json"},
		"broken":           {row: claude, state: session.Broken, want: session.AsFile, note: "not valid JSON", source: "/project/.heretic/temp/s/.mcp.json"},
		"no servers":       {row: claude, state: session.NoServers, want: session.AsFile, note: "no servers", source: "/project/.heretic/temp/s/.mcp.json"},
		"link":             {row: claude, state: session.Symlink, fails: "is a symbolic link"},
		"directory":        {row: claude, state: session.Directory, fails: "is a directory"},
		"device":           {row: claude, state: session.Special, fails: "not a regular file"},
		"copilot's own":    {row: copilot, state: session.Usable, want: session.Hidden, note: "own .copilot/mcp-config.json is used", source: "/project/.copilot/mcp-config.json"},
		"copilot's broken": {row: copilot, state: session.Broken, want: session.AsFile, note: "not valid JSON", source: "/project/.heretic/temp/s/.mcp.json"},
	} {
		t.Run(name, func(t *testing.T) {
			req, f := planRequest(c.row), planFacts(c.row)
			req.Profile.MCPOverride = c.override
			f.Own.State = c.state
			if c.row.Delivery == target.Workspace {
				f.Mount.State = c.state
			}
			p, err := session.NewPlan(req, f)
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Errorf("error %v, want %q", err, c.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Servers[0].Delivered; got != c.want {
				t.Errorf("delivered: %s, want %s", got, c.want)
			}
			var notes []string
			for _, n := range p.Notes {
				notes = append(notes, n.Text)
			}
			if all := strings.Join(notes, "\n"); !strings.Contains(all, c.note) || c.note == "" && len(notes) > 0 {
				t.Errorf("notes %q, want %q", notes, c.note)
			}
			source := ""
			for _, m := range p.Spec.Mounts {
				if strings.HasSuffix(m.Target, c.row.Path) {
					source = filepath.ToSlash(m.Source)
				}
			}
			if source != c.source {
				t.Errorf("mounted from %q, want %q", source, c.source)
			}
			if wants := c.row.Delivery == target.Workspace && c.state == session.Absent; (len(p.Placeholders) > 0) != wants {
				t.Errorf("placeholders %v", p.Placeholders)
			}
		})
	}
}

func TestFindProject(t *testing.T) {
	base := project(t)
	dirs := map[string]string{}
	for _, d := range []string{"home/.heretic/agents", "home/p/.heretic/cli", "home/p/sub/deep", "home/q/.heretic/temp", "home/q/sub", "home/r"} {
		dirs[d] = filepath.Join(base, d)
		if err := os.MkdirAll(dirs[d], 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(base, "home/p/sub"), filepath.Join(base, "link")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		cwd, dir string
		existing bool
		want     string // empty: refused
		named    bool
	}{
		{cwd: "home/r", want: "home/r"},
		{cwd: "home/p", want: "home/p"},
		{cwd: "home/p/sub/deep", want: "home/p", named: true},
		{cwd: "link", want: "home/p", named: true},
		{cwd: "home/q/sub", want: "home/q/sub"},
		{cwd: "home/q/sub", existing: true, want: "home/q", named: true},
		{cwd: "home/r", dir: "../p", want: "home/p", named: true},
		{cwd: "home/p/sub", dir: ".", want: "home/p/sub"},
		{cwd: "home/r", dir: "nope"},
		{cwd: "home"},
		{cwd: "."},
		{cwd: "home/r", dir: ".."},
	} {
		got, err := session.FindProject(session.ProjectOptions{
			Dir: c.dir, Cwd: filepath.Join(base, c.cwd), Existing: c.existing,
			Home: filepath.Join(base, "home"), HereticHome: filepath.Join(base, "home/.heretic"),
		})
		if c.want == "" {
			if err == nil {
				t.Errorf("%+v: got %q", c, got.Dir)
			}
			continue
		}
		if err != nil || got.Dir != filepath.Join(base, c.want) || got.Named != c.named {
			t.Errorf("%+v: %+v, %v", c, got, err)
		}
	}
}
