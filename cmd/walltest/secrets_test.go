//go:build linux

package walltest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
	w.env = append(w.env, "HOST_TOKEN="+marker+"-host", "FROM_FLAG="+marker+"-flag")
	w.profile(`image: ` + w.image + `
agent_type: generic
env:
  API_KEY: ${HOST_TOKEN}
env_file: ` + w.home + `/vars.env
secrets:
  SCRIPT: ` + w.home + `/script.sh
  FILE: {source: $HOST_TOKEN, as: file}
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
	say("agents", "validate", "--json")
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
	for _, name := range cmdlines(t) {
		if strings.Contains(name, marker) {
			t.Errorf("in an argument list of the host: %s", name)
		}
	}
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

// cmdlines are the argument lists of all processes of the host.
func cmdlines(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(files) == 0 {
		t.Fatalf("no processes: %v", err)
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
