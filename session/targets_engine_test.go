package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heretic/profile"
)

func TestEngineServersInSettings(t *testing.T) {
	r := newRig(t, "agent")
	const file = "/home/agent/.codex/config.toml"
	o := r.launch(r.request("codex", "c", "run", "cat", file, "--", "stat", file))
	if o.ExitCode != 0 || !strings.Contains(o.out, "[mcp_servers.memory]") || !strings.Contains(o.out, " 1000 1000 ") {
		t.Errorf("exit %d, %v\n%s%s", o.ExitCode, o.err, o.out, o.log)
	}
	req := r.request("codex", "c", "cat", file)
	req.Profile.Servers = nil
	if o := r.launch(req); o.ExitCode != 0 || strings.Contains(o.out, "memory") {
		t.Errorf("no servers: exit %d, %v\n%s%s", o.ExitCode, o.err, o.out, o.log)
	}
	r.gone(".mcp.json")
}

// Codex asks for a login unless a provider takes the key from the environment;
// the key itself is in no file, and a provider of the user's own stays.
func TestEngineCodexTakesTheKeyFromItsEnvironment(t *testing.T) {
	r := newRig(t, "")
	const file = "/root/.codex/config.toml"
	req := r.request("codex", "c", "cat", file)
	without := r.ok(req).out
	req.Profile.Env = append(req.Profile.Env, profile.EnvVar{Name: "OPENAI_API_KEY", Value: "sk-marker"})
	with := r.ok(req).out
	if !strings.Contains(with, `model_provider = "openai-key"`) || !strings.Contains(with, `env_key = "OPENAI_API_KEY"`) || strings.Contains(with, "marker") {
		t.Errorf("with the key:\n%s", with)
	}
	req.Profile.Env = nil
	if out := r.ok(req).out; strings.Contains(out, "openai-key") || strings.Contains(without, "openai-key") {
		t.Errorf("without it:\n%s\nand again:\n%s", without, out)
	}
}

// The folders above an agent home that the image does not have are the user's
// too: in the first run, and in those that find the home made.
func TestEngineFoldersAboveTheHomeAreTheUsers(t *testing.T) {
	for user, id := range map[string]string{"agent": " 1000 1000 ", "": " 0 0 "} {
		r := newRig(t, user)
		at := homes[user].dir
		above := []string{"stat", at + "/.config", at + "/.local", at + "/.local/share", at + "/.local/state", at + "/.local/share/opencode"}
		for n := range 2 {
			o := r.launch(r.request("opencode", "o", above...))
			if o.err != nil || o.ExitCode != 0 || strings.Count(o.out, id) != len(above)-1 {
				t.Errorf("user %q, run %d: exit %d, %v\n%s%s", user, n+1, o.ExitCode, o.err, o.out, o.log)
			}
		}
	}
}

func TestEngineAcpxKeepsTheProjectsFile(t *testing.T) {
	r := newRig(t, "")
	own := `{"defaultAgent": "codex", "mcpServers": [{"name": "theirs", "command": "x", "args": [], "env": []}]}`
	r.write(".acpxrc.json", own)
	o := r.ok(r.request("acpx", "x", "cat", "/workspace/.acpxrc.json"))
	if !strings.Contains(o.out, `"defaultAgent": "codex"`) || !strings.Contains(o.out, "mcp-memory") || strings.Contains(o.out, "theirs") {
		t.Errorf("in the container:\n%s", o.out)
	}
	if got := r.read(".acpxrc.json"); got != own {
		t.Errorf("on the host:\n%s", got)
	}
	r.write(".acpxrc.json", "{broken")
	o = r.ok(r.request("acpx", "x", "cat", "/workspace/.acpxrc.json"))
	if !strings.Contains(o.out, "mcp-memory") || len(o.Notes) == 0 || r.read(".acpxrc.json") != "{broken" {
		t.Errorf("broken: notes %v, in the container:\n%s", o.Notes, o.out)
	}
}

// The ignore file that a repository names must not carry a file of the host
// into the container.
func TestEngineExcludesComeFromVolumesOnly(t *testing.T) {
	r := newRig(t, "")
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("marker\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ignores := filepath.Join(t.TempDir(), "ignores")
	if err := os.WriteFile(ignores, []byte("*.mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(r.project, "link")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{secret, "../" + filepath.Base(secret), "link"} {
		r.write(".git/config", "[core]\n\texcludesFile = "+name+"\n")
		if o := r.ok(r.request("claude", "c", "cat", "/run/heretic/git-exclude")); o.out != "# mounted by heretic\n/.mcp.json\n" {
			t.Errorf("%s: %q", name, o.out)
		}
	}
	r.write(".git/config", "")
	req := r.request("claude", "c", "cat", "/run/heretic/git-exclude")
	req.Profile.Volumes = append(req.Profile.Volumes, profile.Volume{Source: ignores, Target: "/root/.config/git/ignore", ReadOnly: true})
	if o := r.ok(req); o.out != "*.mine\n# mounted by heretic\n/.mcp.json\n" {
		t.Errorf("the user's own: %q", o.out)
	}
}
