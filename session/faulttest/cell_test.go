//go:build linux

package faulttest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"golang.org/x/sys/unix"
)

// patience is how long anything may take on a busy machine.
const patience = time.Minute

// agentReady is the end of what the agent writes when it starts.
const agentReady = "\x1b[?25lready"

// settle is for heretic to take in what it was sent: that cannot be seen.
const settle = 50 * time.Millisecond

// cell is one fault at one phase, with a project of its own.
type cell struct {
	t     *testing.T
	bin   string
	eng   *engine
	fault *fault
	phase phase
	want  want

	dir, project string
	tag          string // the project's own name of the image
	proxy        *proxy
	hold         *hold
	heretic      *session
	bystander    string // id of the other session's container
	foreign      string // id of the container that takes the name
	dead         bool   // the session's container was left, dead
}

// gateScript is the profile's secret script: it waits where GATE names a
// folder with two FIFOs.
const gateScript = `#!/bin/sh
[ -z "$GATE" ] || { echo >"$GATE/reached"; read _ <"$GATE/open"; }
echo secret
`

// run plays the cell and returns what happened, in words.
func (c *cell) run() (string, error) {
	if err := c.setup(); err != nil {
		return "", fmt.Errorf("setup: %w", err)
	}
	if err := c.start(); err != nil {
		return "", err
	}
	if err := c.reach(); err != nil {
		return "", fmt.Errorf("before the fault: %w", err)
	}
	if err := c.fault.inject(c); err != nil {
		return "", fmt.Errorf("inject: %w", err)
	}
	code, err := c.finish()
	if err != nil {
		return "", err
	}
	errs := []error{c.checkEnd(code)}
	if c.fault.mend != nil {
		errs = append(errs, c.fault.mend(c))
	}
	errs = append(errs, c.checkAfter())
	if err := errors.Join(errs...); err != nil {
		return "", fmt.Errorf("%w\nthe screen: %q", err, c.heretic.text())
	}
	return c.outcome(code), nil
}

func (c *cell) outcome(code int) string {
	text := fmt.Sprintf("exit %d", code)
	if c.fault.killed {
		text = "killed"
	}
	switch {
	case c.want.alive:
		return text + ", agent runs on"
	case c.dead:
		return text + ", dead container"
	}
	return text + ", clean"
}

// setup makes the project, the profiles, and the other session.
func (c *cell) setup() error {
	if err := c.tagImage(); err != nil {
		return err
	}
	files := []struct {
		name, text string
		mode       os.FileMode
	}{
		{"secret.sh", gateScript, 0o755},
		{"home/agents/fault.yaml", fmt.Sprintf(profileText, c.tag, `["run", "modes", "--", "sleep", "600"]`, "mine") +
			"secrets: {gate: " + filepath.Join(c.dir, "secret.sh") + "}\nenv: {GATE: \"${gate}\"}\n", 0o644},
		{"home/agents/plain.yaml", fmt.Sprintf(profileText, c.tag, `["sleep", "600"]`, "other"), 0o644},
	}
	for _, f := range files {
		name := filepath.Join(c.dir, f.name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(f.text), f.mode); err != nil {
			return err
		}
	}
	for _, fifo := range []string{"reached", "open"} {
		if err := unix.Mkfifo(filepath.Join(c.dir, fifo), 0o600); err != nil {
			return err
		}
	}
	if _, err := c.command(0, "run", "plain", "-s", "bystander", "-d"); err != nil {
		return err
	}
	list, err := c.containers("bystander")
	if err != nil || len(list) != 1 {
		return fmt.Errorf("the other session's containers: %v, %w", list, err)
	}
	c.bystander = list[0].ID
	return nil
}

const profileText = `image: %s
agent_type: generic
command: %s
mcp: [{name: %s, command: server}]
extra: {init: false} # the agent plays process 1
`

// environ is the environment of a heretic.
func (c *cell) environ(more ...string) []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "TERM=xterm", "HOME=" + c.dir, "HERETIC_HOME=" + filepath.Join(c.dir, "home"),
	}, more...)
}

// command runs a heretic beside the faulted one, straight on the engine.
func (c *cell) command(want int, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.bin, args...)
	cmd.Dir, cmd.Env = c.project, c.environ("DOCKER_HOST="+c.eng.host)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if code := cmd.ProcessState.ExitCode(); code != want {
		return "", fmt.Errorf("heretic %s: exit %d, want %d (%v)\n%s%s", strings.Join(args, " "), code, want, err, out, &stderr)
	}
	return string(out), nil
}

// start starts the heretic that the fault is for.
func (c *cell) start() error {
	var g *gate
	if p := phases[c.phase]; p.call != "" {
		g = newGate(p.call, p.held)
	}
	var env []string
	switch c.phase {
	case resolving:
		env = []string{"GATE=" + c.dir}
	case writing:
		if err := c.holdWriting(); err != nil {
			return err
		}
	}
	return c.open(g, env, "run", "fault", "-s", "main")
}

// open starts a heretic under a terminal, with a gate on its way to the engine.
func (c *cell) open(g *gate, env []string, args ...string) (err error) {
	if c.proxy, err = newProxy(c.t, c.eng.host, c.dir, g); err != nil {
		return err
	}
	cmd := exec.Command(c.bin, args...)
	cmd.Dir, cmd.Env = c.project, append(c.environ("DOCKER_HOST="+c.proxy.host), env...)
	c.heretic, err = openSession(c.t, cmd)
	return err
}

// holdWriting holds heretic at the first file of the session that it opens after
// it has written the configuration. The folder is there as after an earlier run.
func (c *cell) holdWriting() (err error) {
	dir := filepath.Join(c.project, ".heretic", "temp", "main")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	c.hold, err = holdIn(dir, func() bool {
		_, err := os.Stat(filepath.Join(dir, ".mcp.json"))
		return err == nil
	})
	if err == nil {
		c.t.Cleanup(c.hold.close)
	}
	return err
}

// reach brings heretic into the phase.
func (c *cell) reach() error {
	switch c.phase {
	case resolving:
		f, err := os.OpenFile(filepath.Join(c.dir, "reached"), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		f.SetReadDeadline(time.Now().Add(patience))
		_, err = f.Read(make([]byte, 1))
		return err
	case writing:
		select {
		case <-c.hold.reached:
		case <-time.After(patience):
			return fmt.Errorf("no file was opened; the screen: %q", c.heretic.text())
		}
	case running, detaching, stopping:
		if err := c.heretic.await(agentReady, patience); err != nil {
			return err
		}
		<-c.proxy.started
		time.Sleep(settle)
	}
	switch c.phase {
	case detaching:
		_, err := c.heretic.keys.WriteString("\x1d")
		time.Sleep(settle)
		return err
	case stopping:
		if err := c.endAgent(); err != nil {
			return err
		}
	}
	if g := c.proxy.gate; g != nil {
		select {
		case <-g.reached:
		case <-time.After(patience):
			return fmt.Errorf("no %s call; the screen: %q", g.call, c.heretic.text())
		}
	}
	if c.phase == starting {
		return c.heretic.await(agentReady, patience)
	}
	return nil
}

// finish lets heretic go on and returns its exit code.
func (c *cell) finish() (int, error) {
	if c.fault.killed {
		code, err := c.heretic.wait(patience)
		// What it was about to ask must not reach the engine any more.
		if g := c.proxy.gate; g != nil {
			g.abandon()
		}
		return code, errors.Join(err, c.release())
	}
	if err := c.release(); err != nil {
		return 0, err
	}
	switch c.want.onward {
	case goesOn:
		if err := c.heretic.await(agentReady, patience); err != nil {
			return 0, err
		}
		if err := c.endAgent(); err != nil {
			return 0, err
		}
	case detaches:
		if _, err := c.heretic.keys.WriteString("d"); err != nil {
			return 0, err
		}
	}
	return c.heretic.wait(patience)
}

func (c *cell) release() error {
	if c.proxy.gate != nil {
		c.proxy.gate.release()
	}
	if c.hold != nil {
		c.hold.release()
	}
	if c.phase != resolving {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(c.dir, "open"), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	c.t.Cleanup(func() { f.Close() })
	_, err = f.WriteString("\n")
	return err
}

// endAgent ends the agent of the session, which then exits with 143.
func (c *cell) endAgent() error {
	list, err := c.containers("main")
	if err != nil || len(list) != 1 {
		return fmt.Errorf("the session's containers: %v, %w", list, err)
	}
	return c.eng.cli.ContainerKill(context.Background(), list[0].ID, "TERM")
}

// containers are the containers of a session; of all when it is empty.
func (c *cell) containers(session string) ([]container.Summary, error) {
	f := filters.NewArgs(filters.Arg("label", "heretic.project="+c.project))
	if session != "" {
		f.Add("label", "heretic.session="+session)
	}
	return c.eng.cli.ContainerList(context.Background(), container.ListOptions{All: true, Filters: f})
}
