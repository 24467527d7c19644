//go:build linux

package faulttest

import (
	"fmt"
	"syscall"
	"testing"
	"time"
)

// stopPhases are where `heretic stop` is when something ends it.
var stopPhases = [...]struct {
	name, doc string
	call      call
	held      bool // it is the answer that is held
}{
	{"asking", "the engine has not been asked to stop the agent", callStop, false},
	{"ending", "the agent has ended, the engine has not said so", callStop, true},
	{"removing", "the container is about to be removed", callRemove, false},
}

// stopFaults are what ends it, and the exit codes that follow.
var stopFaults = [...]struct {
	name   string
	inject func(*cell) error
	code   int
}{
	{"SIGKILL", func(c *cell) error { return c.signal(syscall.SIGKILL) }, 137},
	{"SIGINT", func(c *cell) error { return c.signal(syscall.SIGINT) }, 130},
	{"SIGTERM", func(c *cell) error { return c.signal(syscall.SIGTERM) }, 143},
	{"SIGHUP", func(c *cell) error { return c.signal(syscall.SIGHUP) }, 129},
	{"connection lost", (*cell).loseEngine, 1},
}

// playStops ends `heretic stop` halfway: what it has not done, the same command
// does when it is typed again.
func playStops(t *testing.T, bin, base string, eng *engine, res *results) {
	for i, f := range stopFaults {
		for j, p := range stopPhases {
			t.Run("stop/"+f.name+"/"+p.name, func(t *testing.T) {
				t.Parallel()
				c := newCell(t, bin, base, fmt.Sprintf("s%dp%d", i, j), eng)
				text, err := c.interruptStop(newGate(p.call, p.held), f.inject, f.code)
				if err != nil {
					t.Error(err)
					text = "FAILED"
				}
				res.set(stopRow(f.name), p.name, text)
			})
		}
	}
}

// stopRow keeps the rows of the two tables apart.
func stopRow(fault string) string { return "stop: " + fault }

// interruptStop stops a session, and is interrupted at the gate.
func (c *cell) interruptStop(g *gate, inject func(*cell) error, want int) (string, error) {
	if err := c.setup(); err != nil {
		return "", fmt.Errorf("setup: %w", err)
	}
	if _, err := c.command(0, "run", "plain", "-s", "main", "-d"); err != nil {
		return "", err
	}
	if err := c.open(g, nil, "stop", "main"); err != nil {
		return "", err
	}
	select {
	case <-g.reached:
	case <-time.After(patience):
		return "", fmt.Errorf("no %s call; the screen: %q", g.call, c.heretic.text())
	}
	if err := inject(c); err != nil {
		return "", fmt.Errorf("inject: %w", err)
	}
	code, err := c.heretic.wait(patience)
	g.abandon() // what it has asked must not reach the engine any more
	if err != nil {
		return "", err
	}
	if code != want {
		return "", fmt.Errorf("exit code %d, want %d; the screen: %q", code, want, c.heretic.text())
	}
	list, err := c.containers("main")
	if err != nil || len(list) != 1 {
		return "", fmt.Errorf("the session's containers: %v, %w", list, err)
	}
	states := map[string]string{"running": "agent runs on", "exited": "dead container"}
	text := fmt.Sprintf("exit %d, %s", code, states[list[0].State])
	return text, c.checkStopAgain()
}

// loseEngine breaks the connections to the engine, which goes on.
func (c *cell) loseEngine() error {
	c.proxy.gate.abandon()
	c.proxy.close()
	return nil
}

// checkStopAgain types the command again, and looks at what is left.
func (c *cell) checkStopAgain() error {
	if _, err := c.command(0, "stop", "main"); err != nil {
		return err
	}
	if list, err := c.containers("main"); err != nil || len(list) != 0 {
		return fmt.Errorf("the session's containers after the second stop: %v, %w", list, err)
	}
	if err := c.checkBystander(); err != nil {
		return err
	}
	if _, err := c.command(7, "run", "plain", "-s", "main", "--", "exit", "7"); err != nil {
		return err
	}
	if _, err := c.command(0, "stop", "bystander"); err != nil {
		return err
	}
	return c.checkNothingLeft()
}

// stopTable is the result in Markdown.
func (r *results) stopTable() string {
	var rows, columns []string
	for _, f := range stopFaults {
		rows = append(rows, f.name)
	}
	for _, p := range stopPhases {
		columns = append(columns, p.name)
	}
	return r.table(rows, columns, stopRow)
}
