package ui

import (
	"errors"
	"os"

	"github.com/moby/term"
)

// openTerminal opens the two halves of the console.
func openTerminal() (in, out *os.File, err error) {
	if in, err = os.OpenFile("CONIN$", os.O_RDWR, 0); err != nil {
		return nil, nil, err
	}
	if out, err = os.OpenFile("CONOUT$", os.O_RDWR, 0); err != nil {
		return nil, nil, errors.Join(err, in.Close())
	}
	return in, out, nil
}

// hideInput turns off the echo of what is typed.
func hideInput(tty *os.File) (restore func(), err error) {
	state, err := term.SaveState(tty.Fd())
	if err != nil {
		return nil, err
	}
	if err := term.DisableEcho(tty.Fd(), state); err != nil {
		return nil, err
	}
	return func() { _ = term.RestoreTerminal(tty.Fd(), state) }, nil
}
