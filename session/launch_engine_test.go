package session_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heretic/mcpconf"
	"heretic/mcpconf/target"
	"heretic/profile"
	"heretic/runner"
	"heretic/runner/runnertest"
	"heretic/session"
)

// rig is one project on the real engine.
type rig struct {
	t       *testing.T
	eng     *runner.Engine
	project string
	image   string
}

func newRig(t *testing.T, user string) *rig {
	t.Helper()
	image := runnertest.ImageAs(t, user)
	runnertest.Engine(t)
	eng, err := runner.Connect(t.Context(), runner.ConnectOptions{Lookup: os.LookupEnv, Home: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { eng.Close() })
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, eng: eng, project: dir, image: image}
	t.Cleanup(r.removeContainers)
	return r
}

// removeContainers removes what the test left running on purpose.
func (r *rig) removeContainers() {
	ctx := context.Background()
	list, err := r.eng.List(ctx, map[string]string{session.LabelProject: r.project}, true)
	if err != nil {
		r.t.Error(err)
	}
	for _, c := range list {
		if err := r.eng.Remove(ctx, c.ID); err != nil {
			r.t.Error(err)
		}
	}
}

func (r *rig) request(agentType, name string, command ...string) session.Request {
	r.t.Helper()
	t, ok := target.Lookup(agentType)
	if !ok {
		r.t.Fatalf("no target %q", agentType)
	}
	return session.Request{
		Session: name, Target: t, Approved: true,
		Profile: profile.Profile{
			Name: name, Image: r.image, AgentType: agentType, Project: r.project, Workspace: "/workspace",
			Workdir: "/workspace", Command: command, Interactive: true, TTY: true,
			Volumes: []profile.Volume{{Source: r.project, Target: "/workspace"}},
			Extra:   profile.Extra{Network: "none", ProtectHooks: true},
			Servers: []mcpconf.Server{{Name: "memory", Type: mcpconf.Stdio, Command: "mcp-memory"}},
		},
	}
}

type outcome struct {
	session.Plan
	runner.Result
	err      error
	out, log string
	warnings []mcpconf.Note
}

func (r *rig) launch(req session.Request) outcome {
	r.t.Helper()
	var o outcome
	facts, err := session.Gather(r.t.Context(), r.eng, req)
	if err != nil {
		o.err = err
		return o
	}
	if o.Plan, o.err = session.NewPlan(req, facts); o.err != nil {
		return o
	}
	var out, errb bytes.Buffer
	o.Result, o.err = session.Launch(r.t.Context(), r.eng, o.Plan, session.LaunchOptions{
		Streams: runner.Streams{In: strings.NewReader(""), Out: &out, Err: &errb},
		Warn:    func(n mcpconf.Note) { o.warnings = append(o.warnings, n) },
	})
	o.out, o.log = out.String(), errb.String()
	return o
}

// ok launches what must succeed and warn of nothing.
func (r *rig) ok(req session.Request) outcome {
	r.t.Helper()
	o := r.launch(req)
	if o.err != nil || o.ExitCode != 0 || len(o.warnings) > 0 {
		r.t.Fatalf("exit %d, error %v, warnings %v\n%s%s", o.ExitCode, o.err, o.warnings, o.out, o.log)
	}
	return o
}

func (r *rig) write(name, data string) {
	r.t.Helper()
	file := filepath.Join(r.project, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(data), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) read(name string) string {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.project, name))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(data)
}

// inside returns what a role of the test's agent prints in a live session.
func (r *rig) inside(name string, role ...string) string {
	r.t.Helper()
	list, err := r.eng.List(r.t.Context(), map[string]string{session.LabelProject: r.project, session.LabelSession: name}, false)
	if err != nil || len(list) != 1 {
		r.t.Fatalf("session %q: %v, error %v", name, list, err)
	}
	var out bytes.Buffer
	code, err := r.eng.Exec(r.t.Context(), list[0].ID, runner.ExecOptions{
		Cmd: append([]string{"/bin/agent"}, role...), Streams: runner.Streams{Out: &out, Err: &out},
	})
	if err != nil || code != 0 {
		r.t.Fatalf("%q in session %q: exit %d, error %v\n%s", role, name, code, err, &out)
	}
	return out.String()
}

func (r *rig) gone(name string) {
	r.t.Helper()
	if _, err := os.Lstat(filepath.Join(r.project, name)); !errors.Is(err, os.ErrNotExist) {
		r.t.Errorf("%s is still there (%v)", name, err)
	}
}

const generated = `{
  "mcpServers": {
    "memory": {
      "command": "mcp-memory"
    }
  }
}
`

func TestEngineGeneratedFileIsMounted(t *testing.T) {
	r := newRig(t, "")
	o := r.ok(r.request("generic", "g", "cat", "/workspace/.mcp.json"))
	if o.out != generated {
		t.Errorf("in the container:\n%s\nwant:\n%s", o.out, generated)
	}
	if got := r.read(".heretic/temp/g/.mcp.json"); got != generated {
		t.Errorf("on the host:\n%s", got)
	}
	r.gone(".mcp.json")
}

// The folder of a session is its owner's alone; the file mounted from there is
// for the container's user, whoever that is.
func TestEngineGeneratedFileIsReadable(t *testing.T) {
	r := newRig(t, "other")
	if o := r.ok(r.request("generic", "g", "cat", "/workspace/.mcp.json")); o.out != generated {
		t.Errorf("in the container:\n%s", o.out)
	}
	for name, want := range map[string]os.FileMode{"temp": 0o700, "temp/g": 0o700, "temp/g/.mcp.json": 0o644} {
		fi, err := os.Stat(filepath.Join(r.project, ".heretic", name))
		if err != nil {
			t.Fatal(err)
		}
		if got := fi.Mode().Perm(); got != want {
			t.Errorf("%s has the mode %v, want %v", name, got, want)
		}
	}
}

func TestEngineOwnFileWins(t *testing.T) {
	own := `{"mcpServers": {"mine": {"command": "x"}}}`
	r := newRig(t, "")
	r.write(".mcp.json", own)
	req := r.request("generic", "g", "cat", "/workspace/.mcp.json")
	if o := r.ok(req); o.out != own {
		t.Errorf("in the container:\n%s", o.out)
	}
	req.Profile.MCPOverride = true
	if o := r.ok(req); o.out != generated {
		t.Errorf("with mcp_override:\n%s", o.out)
	}
	if got := r.read(".mcp.json"); got != own {
		t.Errorf("the project's own file became:\n%s", got)
	}
}

func TestEngineReadOnlyWorkspace(t *testing.T) {
	r := newRig(t, "")
	req := r.request("generic", "g", "cat", "/workspace/.mcp.json")
	req.Profile.Volumes[0].ReadOnly = true
	if o := r.ok(req); o.out != generated {
		t.Errorf("in the container:\n%s", o.out)
	}
	r.gone(".mcp.json")
}

func TestEngineSessionsAreOutOfReach(t *testing.T) {
	r := newRig(t, "")
	r.write(".heretic/cli/generic.yaml", "image: x\n")
	o := r.launch(r.request("generic", "g", "run", "tree", "/workspace/.heretic", "--",
		"write", "/workspace/.heretic/cli/generic.yaml", "image: evil"))
	if o.ExitCode == 0 || strings.Contains(o.out, ".mcp.json") || !strings.Contains(o.out, "/workspace/.heretic/temp") {
		t.Errorf("exit %d\n%s%s", o.ExitCode, o.out, o.log)
	}
	if got := r.read(".heretic/cli/generic.yaml"); got != "image: x\n" {
		t.Errorf("the override became %q", got)
	}
}

func TestEngineFailingToStartLeavesNothing(t *testing.T) {
	r := newRig(t, "")
	req := r.request("generic", "g")
	req.Profile.Entrypoint = []string{"/nope"}
	o := r.launch(req)
	if o.ExitCode != 127 || o.err == nil || !strings.Contains(o.err.Error(), "/nope") {
		t.Errorf("exit %d, error %v, warnings %v", o.ExitCode, o.err, o.warnings)
	}
	off := false
	req.Profile.Extra.Init = &off
	for entrypoint, code := range map[string]int{"/nope": 127, "/etc/passwd": 126} {
		req.Profile.Entrypoint = []string{entrypoint}
		if o := r.launch(req); o.ExitCode != code || o.err == nil {
			t.Errorf("%s without init: exit %d, error %v", entrypoint, o.ExitCode, o.err)
		}
	}
	r.gone(".mcp.json")
	r.gone(".heretic/temp/g")
	if list, _ := session.List(t.Context(), r.eng, r.project); len(list) > 0 {
		t.Errorf("left: %v", list)
	}
}

func TestEngineNoServersMountNothing(t *testing.T) {
	r := newRig(t, "")
	r.ok(r.request("generic", "g", "exit", "0"))
	req := r.request("generic", "g", "stat", "/workspace/.mcp.json")
	req.Profile.Servers = nil
	if o := r.launch(req); o.err != nil || o.ExitCode != 1 {
		t.Errorf("exit %d, error %v\n%s", o.ExitCode, o.err, o.out)
	}
	r.gone(".heretic/temp/g/.mcp.json")
}

func TestEngineLiveSessionIsNotTouched(t *testing.T) {
	r := newRig(t, "")
	req := r.request("generic", "g", "sleep", "600")
	req.Detach = true
	r.launch(req)
	before := r.read(".heretic/temp/g/.mcp.json")

	again := r.request("generic", "g", "exit", "0")
	again.Profile.Servers[0].Command = "other"
	o := r.launch(again)
	if _, ok := errors.AsType[*session.LiveError](o.err); !ok || o.ExitCode != 125 {
		t.Errorf("exit %d, error %v", o.ExitCode, o.err)
	}
	again.Profile.Name = "another"
	if _, ok := errors.AsType[*session.OtherAgentError](r.launch(again).err); !ok {
		t.Errorf("another agent: error %v", o.err)
	}
	if got := r.read(".heretic/temp/g/.mcp.json"); got != before {
		t.Errorf("the live session's file became:\n%s", got)
	}

	// A second session with other servers comes and goes: the first keeps its
	// placeholder, and its own file inside.
	other := r.request("generic", "h", "exit", "0")
	other.Profile.Servers[0].Command = "other"
	r.ok(other)
	if got := r.read(".mcp.json"); got != "" {
		t.Errorf("placeholder holds %q", got)
	}
	if got := r.inside("g", "cat", "/workspace/.mcp.json"); got != before {
		t.Errorf("in the live session:\n%s", got)
	}
	r.removeContainers()
	done, err := session.Repair(t.Context(), r.eng, r.project)
	if err != nil || len(done.Placeholders) != 1 {
		t.Errorf("repaired %+v, error %v", done, err)
	}
	r.gone(".mcp.json")
}
