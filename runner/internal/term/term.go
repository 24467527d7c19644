// Package term is the caller's side of an attached container: raw mode and
// what has to be undone after it, the size, the keys that detach, and the
// signals that are passed on.
package term

import (
	"io"
	"sync"

	"github.com/moby/term"
)

// Size is the size of a terminal in cells.
type Size struct{ Rows, Cols uint }

// fd returns the descriptor of a stream that is a file.
func fd(stream any) (uintptr, bool) {
	if f, ok := stream.(interface{ Fd() uintptr }); ok {
		return f.Fd(), true
	}
	return 0, false
}

// Is tells whether a stream is a terminal.
func Is(stream any) bool {
	n, ok := fd(stream)
	return ok && term.IsTerminal(n)
}

// SizeOf returns the size of the first of the streams that is a terminal and
// knows it. A size with a zero in it counts as not known.
func SizeOf(streams ...any) (Size, bool) {
	for _, s := range streams {
		n, ok := fd(s)
		if !ok || !term.IsTerminal(n) {
			continue
		}
		if ws, err := term.GetWinsize(n); err == nil && ws.Height > 0 && ws.Width > 0 {
			return Size{Rows: uint(ws.Height), Cols: uint(ws.Width)}, true
		}
	}
	return Size{}, false
}

// Terminal is a terminal in raw mode.
type Terminal struct {
	in, out any
	undo    []func() error
	modes   *Modes
	once    sync.Once
	err     error
}

// Raw puts the terminal that in is into raw mode, and out into the mode that
// its output needs. Streams that are no terminal are left alone.
func Raw(in io.Reader, out io.Writer) (*Terminal, error) {
	t := &Terminal{in: in, out: out, modes: &Modes{}}
	if n, ok := fd(in); ok && term.IsTerminal(n) {
		state, err := term.SetRawTerminal(n)
		if err != nil {
			return nil, err
		}
		t.undo = append(t.undo, func() error { return term.RestoreTerminal(n, state) })
	}
	if n, ok := fd(out); ok && term.IsTerminal(n) {
		state, err := term.SetRawTerminalOutput(n)
		if err != nil {
			t.Restore()
			return nil, err
		}
		if state != nil {
			t.undo = append(t.undo, func() error { return term.RestoreTerminal(n, state) })
		}
	}
	return t, nil
}

// Writer returns out, watched for modes that a program turns on.
func (t *Terminal) Writer() io.Writer {
	return &modeWriter{w: t.out.(io.Writer), modes: t.modes}
}

// Restore turns off what the program left on and gives the terminal its own
// mode back. It does so once, whoever calls first.
func (t *Terminal) Restore() error {
	if t == nil {
		return nil
	}
	t.once.Do(func() {
		if reset := t.modes.Reset(); len(reset) > 0 && Is(t.out) {
			_, t.err = t.out.(io.Writer).Write(reset)
		}
		for _, f := range t.undo {
			if err := f(); err != nil {
				t.err = err
			}
		}
	})
	return t.err
}
