//go:build linux

package walltest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
)

// TestEngineSecrets plants a secret in every kind of place and looks for it
// wherever it must not be, while the agent runs and after.
func TestEngineSecrets(t *testing.T) {
	const marker = "S3CR3T-MARKER"
	w := newWall(t, build(t))
	w.write(filepath.Join(w.home, "script.sh"), "#!/bin/sh\necho "+marker+"-script\n")
	if err := os.Chmod(filepath.Join(w.home, "script.sh"), 0o700); err != nil {
		t.Fatal(err)
	}
	w.write(filepath.Join(w.home, "vars.env"), "FROM_FILE="+marker+"-envfile\n")
	w.write(filepath.Join(w.home, "settings.yaml"), "github:\n  token: $HOST_TOKEN\n")
	w.write(filepath.Join(w.home, "claude.json"), `{"env":{"X":"`+marker+`-claude"}}`)
	w.env = append(w.env, "HOST_TOKEN="+marker+"-host", "FROM_FLAG="+marker+"-flag")
	w.profile(`image: ` + w.image + `
agent_type: claude
env:
  API_KEY: ${HOST_TOKEN}
  ANTHROPIC_API_KEY: ` + marker + `-provider
env_file: ` + w.home + `/vars.env
secrets:
  SCRIPT: ` + w.home + `/script.sh
  FILE: {source: $HOST_TOKEN, as: file}
  LITERAL: ` + marker + `-literal
git: {token: "${LITERAL}"}
claude_settings: ` + w.home + `/claude.json
mcp:
  - {name: s, command: npx, env: {TOKEN: "${SCRIPT}"}}
  - {name: h, type: http, url: "https://h.example/mcp", headers: {Authorization: "Bearer ${HOST_TOKEN}"}}
`)
	logFile := filepath.Join(w.base, "heretic.log")
	var printed strings.Builder
	say := func(args ...string) { printed.WriteString(w.must(args...)) }

	say("run", "a", "--dry-run")
	say("run", "a", "--dry-run", "--json")
	say("agents", "show", "a", "--resolved", "--origin")
	say("agents", "show", "a", "--resolved", "--json")
	say("agents", "show", "a")
	say("agents", "list", "--json")
	say("agents", "validate", "--json")
	say("trust", "--list", "--json")
	for _, args := range [][]string{{"doctor"}, {"doctor", "--json"}, {"run", "a", "--pull", "never", "-v", "/nope/nope:/x"}, {"run", "a", "--mcp", "/nope"}} {
		out, _ := w.heretic(args...) // what is wrong with this machine is no matter
		printed.WriteString(out)
	}
	stop := watchArguments(t, marker)
	say("mcp", "render", "a")
	say("--verbose", "--log-file", logFile, "run", "a", "-d", "-e", "FROM_FLAG", "--", "sleep", "60")
	say("ps", "--json")
	say("logs", "a")

	if got := w.must("exec", "a", "--", "/bin/agent", "cat", "/run/secrets/FILE"); !strings.Contains(got, marker+"-host") {
		t.Errorf("the secret delivered as a file is not in the container: %s", got)
	}
	if got := w.must("exec", "a", "--", "/bin/agent", "env", "API_KEY", "FROM_FILE", "FROM_FLAG"); strings.Count(got, marker) != 3 {
		t.Errorf("the agent does not have its variables: %s", got)
	}
	stop()
	inspect, err := w.engine.ContainerInspect(t.Context(), containerName(t, w))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range inspect.Config.Labels {
		if strings.Contains(v, marker) {
			t.Errorf("in label %s: %s", k, v)
		}
	}
	if slices.ContainsFunc(inspect.Config.Env, func(e string) bool { return strings.HasPrefix(e, "FILE=") }) {
		t.Error("a secret that is delivered as a file is in the environment too")
	}
	temp := filepath.Join(w.project, ".heretic", "temp")
	if fi, err := os.Stat(temp); err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("%s: %v, %v; want mode 0700", temp, fi.Mode(), err)
	}
	for _, file := range filesWith(t, w.base, marker) {
		if !strings.HasPrefix(file, filepath.Join(temp, "a")) && !strings.HasPrefix(file, w.home) {
			t.Errorf("in a file outside the session: %s", file)
		}
	}
	listed, err := w.engine.ContainerList(t.Context(), container.ListOptions{All: true})
	if data, jerr := json.Marshal(listed); err != nil || jerr != nil || strings.Contains(string(data), marker) {
		t.Errorf("in the engine's list: %v %v %s", err, jerr, data)
	}
	history, err := w.engine.ImageHistory(t.Context(), w.image)
	if data, jerr := json.Marshal(history); err != nil || jerr != nil || strings.Contains(string(data), marker) {
		t.Errorf("in the image's history: %v %v %s", err, jerr, data)
	}
	say("stop", "a")
	if out := w.must("prune", "--sessions"); strings.Contains(out, marker) {
		t.Errorf("prune prints it: %s", out)
	}
	for _, file := range filesWith(t, w.project, marker) {
		t.Errorf("left after prune --sessions: %s", file)
	}

	w.env = slices.DeleteFunc(w.env, func(e string) bool { return strings.HasPrefix(e, "HOST_TOKEN=") })
	out, code := w.heretic("run", "a")
	if code != 125 || !strings.Contains(out, "HOST_TOKEN") {
		t.Errorf("without the variable: exit %d, %s", code, out)
	}
	printed.WriteString(out)
	if i := strings.Index(printed.String(), marker); i >= 0 {
		t.Errorf("printed: ...%.200s", printed.String()[max(0, i-100):])
	}
}

// watchArguments looks at the argument lists of all processes of the host, again
// and again until it is stopped.
func watchArguments(t *testing.T, marker string) (stop func()) {
	ended, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			for _, line := range cmdlines(t) {
				if strings.Contains(line, marker) {
					t.Errorf("in an argument list of the host: %s", line)
				}
			}
			select {
			case <-ended:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return func() {
		close(ended)
		<-done
	}
}

// cmdlines are the argument lists of all processes of the host.
func cmdlines(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(files) == 0 {
		t.Errorf("no processes: %v", err)
	}
	var all []string
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err == nil { // it may have ended
			all = append(all, strings.ReplaceAll(string(data), "\x00", " "))
		}
	}
	return all
}

func containerName(t *testing.T, w *wall) string {
	t.Helper()
	for line := range strings.SplitSeq(w.must("ps", "--json"), "\n") {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), `"container": "`); ok {
			return strings.TrimSuffix(name, `",`)
		}
	}
	t.Fatal("ps --json names no container")
	return ""
}
