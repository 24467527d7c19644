//go:build unix

package ui

import (
	"os"
	"syscall"

	"github.com/moby/term"
)

// openTerminal opens the controlling terminal. A read from it ends when it is
// closed, which a read from standard input would not.
func openTerminal() (in, out *os.File, err error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR|syscall.O_NOCTTY|syscall.O_NONBLOCK, 0)
	return tty, tty, err
}

// hideInput turns off the echo of what is typed.
func hideInput(tty *os.File) (restore func(), err error) {
	var state *term.State
	control(tty, func(fd uintptr) {
		if state, err = term.SaveState(fd); err == nil {
			err = term.DisableEcho(fd, state)
		}
	})
	if err != nil {
		return nil, err
	}
	return func() {
		control(tty, func(fd uintptr) { _ = term.RestoreTerminal(fd, state) })
	}, nil
}

// control runs f on the descriptor without making it blocking, which Fd does.
func control(tty *os.File, f func(fd uintptr)) {
	if raw, err := tty.SyscallConn(); err == nil {
		_ = raw.Control(f)
	}
}
