package session_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heretic/runner"
	"heretic/session"
)

type describer struct {
	d   runner.Description
	log string
}

func (f describer) Describe(context.Context, string) (runner.Description, error) { return f.d, nil }

func (f describer) Logs(_ context.Context, _ string, o runner.LogsOptions) error {
	_, err := io.WriteString(o.Out, f.log)
	return err
}

// A long log is not cut in the middle of a secret.
func TestReportLongLog(t *testing.T) {
	const secret, rest = "marker-value", 64<<10 - 6
	r, err := session.NewReport(t.Context(), describer{runner.Description{Env: []string{"TOKEN=" + secret}}, secret + strings.Repeat("y", rest)},
		session.Session{Name: "s", Project: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(r.Log, "value") {
		t.Errorf("%.20q", r.Log)
	}
}

// A report has what explains a session, and none of its secrets: those of the
// environment, of the generated file, and of both where the agent wrote them.
func TestReport(t *testing.T) {
	for _, c := range []struct{ agentType, file, want string }{
		{"claude", `{"mcpServers": {"s": {"command": "npx", "args": ["-y", "--key=marker-arg", "marker-word"], "env": {"A": "marker-env", "name": "marker-name"}},
			"d": {"type": "http", "url": "https://host.example/p?k=marker-query", "headers": {"Authorization": "Bearer marker-header", "type": "marker-type"}}, "v": {"command": "/x/marker-value"}}}`, `"command": "npx"`},
		{"acpx", `{"other": "marker-env", "mcpServers": [{"name": "s", "command": "npx", "env": [{"name": "A", "value": "marker-header"}]}]}`, `"name": "A", "value": "***"`},
		{"claude", "marker-env // no JSON", "that are not JSON"},
		{"codex", "", "log, redacted"},
	} {
		t.Run(c.agentType, func(t *testing.T) {
			project, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if err := session.Prepare(project); err != nil {
				t.Fatal(err)
			}
			name := map[string]string{"claude": ".mcp.json", "acpx": ".acpxrc.json", "codex": ".mcp.json"}[c.agentType]
			dir := filepath.Join(project, ".heretic", "temp", "s")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(c.file), 0o600); err != nil {
				t.Fatal(err)
			}
			known := "marker-value"
			log := "started with " + known
			if c.agentType == "claude" && strings.HasPrefix(c.file, "{") {
				log += ", marker-arg, marker-word, marker-env, marker-query, marker-header, marker-name, marker-type"
			}
			r, err := session.NewReport(t.Context(), describer{runner.Description{
				Env: []string{"TOKEN=" + known, "PATH=/bin"}, Cmd: []string{"agent", "--token=" + known}, Error: `exec: "` + known + `": not found`,
			}, log}, session.Session{Name: "s", Agent: "a", AgentType: c.agentType, Project: project})
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			if _, err := r.WriteTo(&b); err != nil {
				t.Fatal(err)
			}
			text := b.String()
			if strings.Contains(text, "marker") {
				t.Errorf("a secret is in the report:\n%s", text)
			}
			for _, want := range []string{c.want, "TOKEN PATH", "started with ***", `"--token=***"`} {
				if !strings.Contains(text, want) {
					t.Errorf("%q is missing:\n%s", want, text)
				}
			}
		})
	}
}
