//go:build unix

package proof

import (
	"os/exec"
	"syscall"
)

// startOnTerminal starts a command in a session of its own, whose controlling
// terminal is its standard input.
func startOnTerminal(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	return cmd.Start()
}
