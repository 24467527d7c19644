package ui

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// terminal returns a prompter on a pty, the person's end of it, and a function
// that ends the prompter and tells what the terminal showed.
func terminal(t *testing.T) (p *Prompter, person *os.File, shown func() string) {
	t.Helper()
	person, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = person.Close() })
	control(tty, func(fd uintptr) { err = unix.SetNonblock(int(fd), true) })
	if err != nil {
		t.Fatal(err)
	}
	tty = os.NewFile(dup(t, tty), "tty")
	p = newPrompter(tty, tty, false)
	screen := make(chan string)
	go func() {
		text, _ := io.ReadAll(person)
		screen <- string(text)
	}()
	return p, person, func() string {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		return strings.ReplaceAll(<-screen, "\r\n", "\n")
	}
}

// dup moves a descriptor to a file that the runtime polls, and closes tty.
func dup(t *testing.T, tty *os.File) uintptr {
	t.Helper()
	var copied int
	var err error
	control(tty, func(fd uintptr) { copied, err = unix.Dup(int(fd)) })
	if err := errors.Join(err, tty.Close()); err != nil {
		t.Fatal(err)
	}
	return uintptr(copied)
}

func echoes(tty *os.File) bool {
	on := true
	control(tty, func(fd uintptr) {
		if termios, err := unix.IoctlGetTermios(int(fd), unix.TCGETS); err == nil {
			on = termios.Lflag&unix.ECHO != 0
		}
	})
	return on
}

func TestAsk(t *testing.T) {
	p, person, shown := terminal(t)
	_, _ = person.WriteString("two words\n\n")
	for _, want := range []string{"two words", "default"} {
		got, err := p.Ask(t.Context(), "Name", "default")
		if err != nil || got != want {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	}
	if got := shown(); !strings.Contains(got, "Name [default]: ") {
		t.Errorf("shown: %q", got)
	}
}

func TestConfirm(t *testing.T) {
	p, person, shown := terminal(t)
	_, _ = person.WriteString("maybe\nYes\n\nno\n")
	for _, want := range []bool{true, false, false} {
		got, err := p.Confirm(t.Context(), "Sure?", false)
		if err != nil || got != want {
			t.Errorf("got %v, %v; want %v", got, err, want)
		}
	}
	if got := shown(); !strings.Contains(got, "Please answer y or n.") {
		t.Errorf("shown: %q", got)
	}
}

func TestChoose(t *testing.T) {
	p, person, shown := terminal(t)
	_, _ = person.WriteString("7\n2\n\nthird\n")
	options := []Option{{"first", "one"}, {"second", "two"}, {"third", "\x1b[31mthree"}}
	for _, want := range []int{1, 0, 2} {
		got, err := p.Choose(t.Context(), "Which?", options, 0)
		if err != nil || got != want {
			t.Errorf("got %v, %v; want %v", got, err, want)
		}
	}
	got := shown()
	for _, want := range []string{"   2) second  two\n", "a number from 1 to 3", `\x1b[31mthree`} {
		if !strings.Contains(got, want) {
			t.Errorf("shown: %q, want %q", got, want)
		}
	}
}

func TestSecretIsNotShown(t *testing.T) {
	p, person, shown := terminal(t)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		got, err := p.Secret(t.Context(), "Token")
		if err != nil || got != "hunter2" {
			t.Errorf("got %q, %v", got, err)
		}
	}()
	for echoes(p.in) && t.Context().Err() == nil {
		time.Sleep(time.Millisecond)
	}
	_, _ = person.WriteString("hunter2\n")
	<-answered
	if !echoes(p.in) {
		t.Error("echo is still off")
	}
	if got := shown(); strings.Contains(got, "hunter2") || !strings.Contains(got, "Token: ") {
		t.Errorf("shown: %q", got)
	}
}

func TestQuestionEndsWithItsContext(t *testing.T) {
	p, _, shown := terminal(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Ask(ctx, "Name", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	shown()
}

func TestNoPrompterWithoutTerminal(t *testing.T) {
	s, _, _, _ := Test()
	if _, err := s.Prompter(); !errors.Is(err, ErrNoTerminal) {
		t.Errorf("got %v", err)
	}
}
