//go:build linux

package faulttest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/pkg/stdcopy"
)

// checkEnd looks at what heretic itself left.
func (c *cell) checkEnd(code int) error {
	var errs []error
	if !slices.Contains(c.want.codes, code) {
		errs = append(errs, fmt.Errorf("exit code %d, want %v", code, c.want.codes))
	}
	if !strings.Contains(c.heretic.text(), c.want.says) {
		errs = append(errs, fmt.Errorf("nothing about %q was said", c.want.says))
	}
	if c.fault.killed {
		return errors.Join(errs...) // nobody was there to clean up
	}
	errs = append(errs, c.heretic.checkSane())
	generated := filepath.Join(c.project, ".heretic", "temp", "main", ".mcp.json")
	_, err := os.Stat(generated)
	switch ran := strings.Contains(c.heretic.text(), agentReady); {
	case c.phase == starting: // heretic cannot know whether it ran
	case ran && err != nil:
		errs = append(errs, err)
	case !ran && err == nil:
		errs = append(errs, fmt.Errorf("%s was left", generated))
	}
	if c.proxy.isClosed() {
		return errors.Join(errs...) // the engine is down
	}
	list, err := c.containers("main")
	if (len(list) > 0) != c.want.alive {
		errs = append(errs, fmt.Errorf("containers of the session: %d, agent alive: %t", len(list), c.want.alive))
	}
	return errors.Join(append(errs, err)...)
}

// checkAfter looks at what the next commands find, and that they work.
func (c *cell) checkAfter() error {
	list, err := c.command(0, "ps", "--json")
	if err != nil {
		return err
	}
	if err := c.checkPS(list); err != nil {
		return err
	}
	if err := c.checkDead(); err != nil {
		return err
	}
	if !c.fault.down {
		if err := c.checkBystander(); err != nil {
			return err
		}
	}
	if c.want.alive {
		if _, err := c.command(0, "stop", "main"); err != nil {
			return err
		}
	}
	if _, err := c.command(7, "run", "fault", "-s", "main", "--", "exit", "7"); err != nil {
		return err
	}
	if !c.fault.down {
		if err := c.checkBystander(); err != nil {
			return fmt.Errorf("after the next run: %w", err)
		}
		if _, err := c.command(0, "stop", "bystander"); err != nil {
			return err
		}
	} else if _, err := c.command(7, "run", "plain", "-s", "bystander", "--", "exit", "7"); err != nil {
		return err
	}
	return c.checkNothingLeft()
}

// checkDead looks at the session's container after the next command: one that
// never started is gone then. One whose agent has ended while nobody could
// remove it stays, for `heretic logs`, until the next run or prune.
func (c *cell) checkDead() error {
	list, err := c.containers("main")
	if err != nil || c.want.alive || len(list) == 0 {
		return err
	}
	c.dead = list[0].State == "exited" && c.phase >= starting && (c.fault.killed || c.fault.mend != nil)
	if !c.dead {
		return fmt.Errorf("a container of the session is left: %s", list[0].State)
	}
	return nil
}

// checkBystander looks at the other session: it runs, and has its own
// configuration.
func (c *cell) checkBystander() error {
	ctx := context.Background()
	cli := c.eng.cli
	ex, err := cli.ContainerExecCreate(ctx, c.bystander, container.ExecOptions{
		Cmd: []string{"/bin/agent", "cat", "/workspace/.mcp.json"}, AttachStdout: true, AttachStderr: true,
	})
	if err != nil {
		return fmt.Errorf("the other session: %w", err)
	}
	conn, err := cli.ContainerExecAttach(ctx, ex.ID, container.ExecAttachOptions{})
	if err != nil {
		return fmt.Errorf("the other session: %w", err)
	}
	defer conn.Close()
	var out bytes.Buffer
	if _, err := stdcopy.StdCopy(&out, &out, conn.Reader); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if !strings.Contains(out.String(), `"other"`) {
		return fmt.Errorf("the other session has lost its configuration, and has: %q", &out)
	}
	return nil
}

func (c *cell) checkNothingLeft() error {
	list, err := c.containers("")
	if err != nil {
		return err
	}
	for _, l := range list {
		err = errors.Join(err, fmt.Errorf("container %v (%s) was left", l.Names, l.State))
	}
	entries, rerr := os.ReadDir(c.project)
	for _, e := range entries {
		if e.Name() != ".heretic" {
			err = errors.Join(err, fmt.Errorf("%s was left in the project", e.Name()))
		}
	}
	return errors.Join(err, rerr)
}

// listed is what `heretic ps --json` prints of a session.
type listed struct {
	Session string `json:"session"`
	State   string `json:"state"`
}

// checkPS looks at what ps says of the session.
func (c *cell) checkPS(text string) error {
	var list []listed
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return fmt.Errorf("ps --json: %w: %q", err, text)
	}
	alive := false
	for _, l := range list {
		alive = alive || l.Session == "main" && l.State == "running"
	}
	if alive != c.want.alive {
		return fmt.Errorf("the agent is running: %t, want %t; ps says %s", alive, c.want.alive, text)
	}
	return nil
}
