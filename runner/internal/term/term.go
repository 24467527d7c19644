// Package term is the caller's side of an attached container: raw mode and
// what has to be undone after it, the size, the keys that detach, and the
// signals that are passed on.
package term

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/moby/term"
)

// Size is the size of a terminal in cells.
type Size struct{ Rows, Cols uint }

// fd returns the descriptor of a stream that is a terminal.
func fd(stream any) (uintptr, bool) {
	f, ok := stream.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(f.Fd()) {
		return 0, false
	}
	return f.Fd(), true
}

// Is tells whether a stream is a terminal.
func Is(stream any) bool {
	_, ok := fd(stream)
	return ok
}

// SizeOf returns the size of the first of the streams that is a terminal and
// knows it. A size with a zero in it counts as not known.
func SizeOf(streams ...any) (Size, bool) {
	for _, s := range streams {
		n, ok := fd(s)
		if !ok {
			continue
		}
		if ws, err := term.GetWinsize(n); err == nil && ws.Height > 0 && ws.Width > 0 {
			return Size{Rows: uint(ws.Height), Cols: uint(ws.Width)}, true
		}
	}
	return Size{}, false
}

// Terminal is a terminal in raw mode. Its Write passes output on and watches
// it for modes that a program turns on. The methods of a nil Terminal do
// nothing.
type Terminal struct {
	out   io.Writer
	undo  []func() error
	raw   []func() error // sets the raw mode again
	watch func()         // stops the watch for a continue
	modes Modes

	mu     sync.Mutex // no raw mode is set after Restore
	closed atomic.Bool
	once   sync.Once
	err    error
}

// ErrRestored is returned by a Write after Restore.
var ErrRestored = errors.New("the terminal was given back")

// Raw puts the terminal that in is into raw mode, and out into the mode that
// its output needs. Streams that are no terminal are left alone. When the
// process continues after a stop, in which the shell set its own mode, the
// mode is set again.
func Raw(in io.Reader, out io.Writer) (*Terminal, error) {
	t := &Terminal{out: out}
	if n, ok := fd(in); ok {
		state, err := term.SetRawTerminal(n)
		if err != nil {
			return nil, err
		}
		t.undo = append(t.undo, func() error { return term.RestoreTerminal(n, state) })
		t.raw = append(t.raw, func() error { _, err := term.SetRawTerminal(n); return err })
	}
	if n, ok := fd(out); ok {
		state, err := term.SetRawTerminalOutput(n)
		if err != nil {
			return nil, errors.Join(err, t.Restore())
		}
		if state != nil {
			t.undo = append(t.undo, func() error { return term.RestoreTerminal(n, state) })
			t.raw = append(t.raw, func() error { _, err := term.SetRawTerminalOutput(n); return err })
		}
	}
	t.watch = onContinue(t.setRaw)
	return t, nil
}

// setRaw sets the raw mode again. A terminal that is gone shows in its reads.
func (t *Terminal) setRaw() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range t.raw {
		if !t.closed.Load() {
			_ = f()
		}
	}
}

// Write writes to the terminal.
func (t *Terminal) Write(p []byte) (int, error) {
	if t.closed.Load() {
		return 0, ErrRestored
	}
	_, _ = t.modes.Write(p)
	return t.out.Write(p)
}

// Restore turns off what the program left on and gives the terminal its own
// mode back. It does so once, whoever calls first; nothing is written after.
func (t *Terminal) Restore() error { return t.restore(false) }

// Leave is Restore for a program that runs on. What it has drawn below the
// cursor is cleared, so that the next line does not stand in the middle of it.
func (t *Terminal) Leave() error { return t.restore(true) }

func (t *Terminal) restore(clear bool) error {
	if t == nil {
		return nil
	}
	t.once.Do(func() {
		t.mu.Lock()
		t.closed.Store(true)
		t.mu.Unlock()
		if t.watch != nil {
			t.watch()
		}
		reset := t.modes.Reset()
		if clear {
			reset = append(reset, "\r\n\x1b[J"...)
		}
		if len(reset) > 0 && Is(t.out) {
			_, t.err = t.out.Write(reset)
		}
		for _, f := range t.undo {
			t.err = errors.Join(t.err, f())
		}
	})
	return t.err
}
