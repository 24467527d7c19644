package session_test

import (
	"strings"
	"testing"
)

// homes are where the users of the test images live, and their uids.
var homes = map[string]struct{ dir, uid string }{
	"": {"/root", "0"}, "agent": {"/home/agent", "1000"}, "other": {"/srv/other", "1234"},
}

// compact takes out the white space of JSON whose strings have none.
func compact(s string) string { return strings.Join(strings.Fields(s), "") }

func TestEngineAgentHome(t *testing.T) {
	for user, home := range homes {
		t.Run("user "+user, func(t *testing.T) {
			r := newRig(t, user)
			claude := home.dir + "/.claude"
			o := r.launch(r.request("claude", "c", "write", claude+"/history", "first"))
			if o.err != nil || o.ExitCode != 0 {
				t.Fatalf("exit %d, error %v\n%s%s", o.ExitCode, o.err, o.out, o.log)
			}
			if warned := len(o.warnings) > 0; warned != (user != "") {
				t.Errorf("warnings %v", o.warnings)
			}
			o = r.launch(r.request("claude", "c", "run", "cat", claude+"/history", "--", "stat", claude, claude+"/settings.json", "--", "env", "CLAUDE_CONFIG_DIR"))
			want := "first" +
				"dir 0700 " + home.uid + " " + home.uid + " 4096 " + claude + "\n" +
				"file 0600 " + home.uid + " " + home.uid + " 50 " + claude + "/settings.json\n" +
				"CLAUDE_CONFIG_DIR=" + claude + "\n"
			if o.ExitCode != 0 || o.out != want {
				t.Errorf("second run: exit %d, %v\n%s%swant:\n%s", o.ExitCode, o.err, o.out, o.log, want)
			}
			if s := r.read(".heretic/temp/c/home/.claude/settings.json"); !strings.Contains(compact(s), `"enabledMcpjsonServers":["memory"]`) {
				t.Errorf("settings.json: %s", s)
			}
		})
	}
}

func TestEngineApprovalFollowsTheServers(t *testing.T) {
	r := newRig(t, "")
	r.write(".heretic/temp/.gitignore", "*\n")
	const settings = ".heretic/temp/c/home/.claude/settings.json"
	r.ok(r.request("claude", "c", "write", "/root/.claude/settings.json",
		`{ "theme": "dark", "enabledMcpjsonServers": ["memory", "theirs"] }`))

	req := r.request("claude", "c", "exit", "0")
	req.Profile.Servers[0].Name = "next"
	r.ok(req)
	if s := r.read(settings); !strings.Contains(compact(s), `["theirs","next"]`) || !strings.Contains(s, `"theme": "dark"`) {
		t.Errorf("another server: %s", s)
	}
	req.Approved = false
	r.ok(req)
	if s := r.read(settings); !strings.Contains(compact(s), `["theirs"]`) {
		t.Errorf("not approved: %s", s)
	}
}

func TestEngineTrustEndsWhereTheProjectBringsSettings(t *testing.T) {
	r := newRig(t, "")
	const file = ".heretic/temp/c/home/.claude/.claude.json"
	r.ok(r.request("claude", "c", "exit", "0"))
	if s := r.read(file); !strings.Contains(s, `"hasTrustDialogAccepted"`) {
		t.Errorf("nothing to activate: %s", s)
	}
	r.write(".claude/settings.json", `{"hooks": {}}`)
	r.ok(r.request("claude", "c", "exit", "0"))
	if s := r.read(file); strings.Contains(s, `"hasTrustDialogAccepted"`) {
		t.Errorf("the project has settings now: %s", s)
	}
	req := r.request("claude", "c", "exit", "0")
	req.Trusted = true
	r.ok(req)
	if s := r.read(file); !strings.Contains(s, `"hasTrustDialogAccepted"`) {
		t.Errorf("approved: %s", s)
	}
}

func TestEngineBrokenSettingsAreKept(t *testing.T) {
	r := newRig(t, "")
	const broken = `{"theme": `
	r.ok(r.request("claude", "c", "write", "/root/.claude/settings.json", broken))
	o := r.launch(r.request("claude", "c", "exit", "0"))
	if o.err == nil || !strings.Contains(o.err.Error(), "settings.json") || o.ExitCode != 125 {
		t.Errorf("exit %d, error %v", o.ExitCode, o.err)
	}
	if s := r.read(".heretic/temp/c/home/.claude/settings.json"); s != broken {
		t.Errorf("settings.json became %q", s)
	}
	r.gone(".mcp.json")
}

func TestEngineCopilotHome(t *testing.T) {
	r := newRig(t, "agent")
	const file = "/home/agent/.copilot/mcp-config.json"
	o := r.launch(r.request("copilot-cli", "c", "run", "cat", file, "--", "stat", "/home/agent/.copilot", file, "--", "cat", "/home/agent/.copilot/config.json"))
	if o.ExitCode != 0 || !strings.Contains(o.out, `"tools": [`) || !strings.Contains(o.out, "dir 0700 1000 1000") || !strings.Contains(o.out, `/workspace`) {
		t.Errorf("exit %d, %v\n%s%s", o.ExitCode, o.err, o.out, o.log)
	}
	own := `{"mcpServers": {"mine": {"command": "x"}}}`
	r.write(".copilot/mcp-config.json", own)
	if o := r.launch(r.request("copilot-cli", "c", "cat", file)); o.out != own {
		t.Errorf("the project's own: %s%s", o.out, o.log)
	}
	req := r.request("copilot-cli", "c", "cat", file)
	req.Profile.Servers = nil
	if o := r.launch(req); o.out != "{\"mcpServers\": {}}\n" {
		t.Errorf("no servers: %s%s", o.out, o.log)
	}
}
