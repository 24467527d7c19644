//go:build linux

package main

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

func tty([]string) int {
	fmt.Printf("stdin %t stdout %t stderr %t\n", isTerminal(os.Stdin), isTerminal(os.Stdout), isTerminal(os.Stderr))
	return 0
}

func winsize() (rows, cols int) {
	ws, err := unix.IoctlGetWinsize(1, unix.TIOCGWINSZ)
	if err != nil {
		return 0, 0
	}
	return int(ws.Row), int(ws.Col)
}

func size([]string) int {
	rows, cols := winsize()
	fmt.Printf("%d %d\n", rows, cols)
	return 0
}

// screen is a small full-screen program: alternate screen, a border of the
// terminal's size, the size and the last key in the middle. Its first frame
// is numbered 1, so that a test can tell what was drawn first.
func screen([]string) int {
	state, err := unix.IoctlGetTermios(0, unix.TCGETS)
	if err != nil {
		return fail(fmt.Errorf("screen needs a terminal: %w", err))
	}
	raw := *state
	raw.Lflag &^= unix.ECHO | unix.ICANON | unix.ISIG | unix.IEXTEN
	raw.Iflag &^= unix.IXON | unix.ICRNL
	raw.Cc[unix.VMIN], raw.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(0, unix.TCSETS, &raw); err != nil {
		return fail(err)
	}
	defer unix.IoctlSetTermios(0, unix.TCSETS, state)
	fmt.Print("\x1b[?1049h\x1b[?25l")
	defer fmt.Print("\x1b[?25h\x1b[?1049l")

	winch := make(chan os.Signal, 1)
	signal.Notify(winch, syscall.SIGWINCH)
	keys := make(chan byte)
	go func() {
		b := make([]byte, 1)
		for {
			if _, err := os.Stdin.Read(b); err != nil {
				close(keys)
				return
			}
			keys <- b[0]
		}
	}()
	last := "none"
	for frame := 1; ; frame++ {
		draw(frame, last)
		select {
		case <-winch:
		case k, ok := <-keys:
			if !ok || k == 'q' {
				return 0
			}
			last = fmt.Sprintf("%q", k)
		}
	}
}

func draw(frame int, key string) {
	rows, cols := winsize()
	var b strings.Builder
	b.WriteString("\x1b[2J\x1b[H")
	if rows > 1 && cols > 1 {
		edge := "+" + strings.Repeat("-", cols-2) + "+"
		fmt.Fprintf(&b, "\x1b[1;1H%s\x1b[%d;1H%s", edge, rows, edge)
	}
	fmt.Fprintf(&b, "\x1b[2;2Hframe %d size %dx%d key %s.", frame, rows, cols, key)
	os.Stdout.WriteString(b.String())
}

// modes turns on the alternate screen, mouse reports, bracketed paste, focus
// reports, the kitty keyboard and application keys, hides the cursor, and
// leaves all that on.
func modes([]string) int {
	fmt.Print("\x1b[?1049h\x1b[?1000h\x1b[?1002h\x1b[?1003h\x1b[?1006h\x1b[?2004h\x1b[?1004h\x1b[>1u\x1b[?1h\x1b=\x1b[?25l")
	return die([]string{"SIGKILL"})
}
