//go:build linux

package faulttest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// playClosed runs heretic with standard descriptors closed, as a careless
// daemon does: none of its sockets may take their place.
func playClosed(t *testing.T, bin, base string, eng *engine) {
	for i, closed := range []string{"<&-", ">&-", "2>&-", "<&- >&- 2>&-"} {
		t.Run("closed/"+closed, func(t *testing.T) {
			t.Parallel()
			c := newCell(t, bin, base, fmt.Sprintf("c%d", i), eng)
			if err := c.runClosed(closed); err != nil {
				t.Error(err)
			}
		})
	}
}

func (c *cell) runClosed(closed string) error {
	if err := c.setup(); err != nil {
		return fmt.Errorf("setup: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", `exec "$0" run plain -s main -- exit 7 `+closed, c.bin)
	cmd.Dir, cmd.Env = c.project, c.environ("DOCKER_HOST="+c.eng.host)
	out, err := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != 7 {
		return fmt.Errorf("exit code %d, want 7 (%v)\n%s", code, err, out)
	}
	if err := c.checkBystander(); err != nil {
		return err
	}
	if _, err := c.command(0, "stop", "bystander"); err != nil {
		return err
	}
	return c.checkNothingLeft()
}

// newCell is a cell with a project of its own.
func newCell(t *testing.T, bin, base, name string, eng *engine) *cell {
	t.Helper()
	c := &cell{t: t, bin: bin, eng: eng, dir: filepath.Join(base, name), tag: "heretic-test/agent:" + name}
	c.project = filepath.Join(c.dir, "project")
	if err := os.MkdirAll(c.project, 0o755); err != nil {
		t.Fatal(err)
	}
	return c
}
