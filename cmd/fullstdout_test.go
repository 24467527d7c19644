package cmd

import (
	"errors"
	"strings"
	"testing"

	"heretic/cmd/internal/ui"
)

// full is a file on a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// An answer that could not be written is a failure, and is said once.
func TestFullStdout(t *testing.T) {
	for _, line := range []string{"", "help", "--help", "help exit-codes", "version", "version --help", "agents", "completion bash", "schema", "doctor"} {
		t.Setenv("HOME", t.TempDir())
		t.Setenv("DOCKER_HOST", "unix:///no/engine.sock")
		streams, _, _, stderr := ui.Test()
		streams.Out = full{}
		app := newApp(streams)
		code := app.execute(t.Context(), strings.Fields(line))
		if code != exitFailure || strings.Count(stderr.String(), "error: no space left\n") != 1 || strings.Contains(stderr.String(), "hint:") {
			t.Errorf("heretic %s: code %d and\n%s", line, code, stderr)
		}
		app.close()
	}
}
