//go:build linux

package faulttest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// leader is the shell in whose terminal a heretic runs. It tells the pid, then
// the exit code, which it also writes to the terminal after all that heretic
// has written. It keeps the terminal until it is told to go: the terminal of a
// session leader that ends cannot be looked at any more.
const leader = `sh -c 'echo $$ >&4; exec "$@" 3<&- 4>&-' sh "$@"; code=$?; echo "` + endMark + `"; echo $code >&4; read _ <&3`

const endMark = "heretic has ended"

// session is one heretic under a terminal.
type session struct {
	pid   int
	tty   *os.File
	keys  *os.File
	sane  unix.Termios
	facts *bufio.Scanner

	mu     sync.Mutex
	screen bytes.Buffer
	more   chan struct{} // has a value when there is more on the screen
}

func openSession(t *testing.T, cmd *exec.Cmd) (*session, error) {
	master, tty, err := pty.Open()
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { master.Close(); tty.Close() })
	if err := pty.Setsize(master, &pty.Winsize{Rows: 30, Cols: 100}); err != nil {
		return nil, err
	}
	sane, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil {
		return nil, err
	}
	stay, goOn, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	facts, tell, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	sh := exec.Command("sh", append([]string{"-c", leader, "sh", cmd.Path}, cmd.Args[1:]...)...)
	sh.Dir, sh.Env = cmd.Dir, cmd.Env
	sh.Stdin, sh.Stdout, sh.Stderr = tty, tty, tty
	sh.ExtraFiles = []*os.File{stay, tell}
	sh.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := sh.Start(); err != nil {
		return nil, err
	}
	stay.Close()
	tell.Close()
	s := &session{tty: tty, keys: master, sane: *sane, facts: bufio.NewScanner(facts), more: make(chan struct{}, 1)}
	t.Cleanup(func() {
		goOn.Close()
		if s.pid != 0 && syscall.Kill(s.pid, 0) == nil && t.Failed() {
			syscall.Kill(s.pid, syscall.SIGKILL)
		}
		sh.Wait()
		facts.Close()
	})
	go s.watch()
	s.pid, err = s.fact()
	return s, err
}

func (s *session) watch() {
	b := make([]byte, 4096)
	for {
		n, err := s.keys.Read(b)
		s.mu.Lock()
		s.screen.Write(b[:n])
		s.mu.Unlock()
		select {
		case s.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (s *session) fact() (int, error) {
	if !s.facts.Scan() {
		return 0, fmt.Errorf("the shell has ended: %v", s.facts.Err())
	}
	return strconv.Atoi(s.facts.Text())
}

func (s *session) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.screen.String()
}

// await waits until the screen has shown a text.
func (s *session) await(text string, limit time.Duration) error {
	timeout := time.After(limit)
	for !strings.Contains(s.text(), text) {
		select {
		case <-s.more:
		case <-timeout:
			return fmt.Errorf("no %q within %v on the screen: %q", text, limit, s.text())
		}
	}
	return nil
}

// wait returns heretic's exit code, as a shell has it.
func (s *session) wait(limit time.Duration) (int, error) {
	type end struct {
		code int
		err  error
	}
	ended := make(chan end, 1)
	go func() {
		code, err := s.fact()
		ended <- end{code, err}
	}()
	select {
	case e := <-ended:
		return e.code, errors.Join(e.err, s.await(endMark, limit))
	case <-time.After(limit):
		syscall.Kill(s.pid, syscall.SIGQUIT) // its goroutines are of interest
		syscall.Kill(s.pid, syscall.SIGKILL)
		<-ended
		return 0, fmt.Errorf("heretic has not ended within %v; the screen: %q", limit, s.text())
	}
}

// undo are what turns off what the test's agent turns on.
var undo = []struct{ what, on, off string }{
	{"the alternate screen", "\x1b[?1049h", "\x1b[?1049l"},
	{"mouse reports", "\x1b[?1000h", "\x1b[?1000l"},
	{"bracketed paste", "\x1b[?2004h", "\x1b[?2004l"},
	{"focus reports", "\x1b[?1004h", "\x1b[?1004l"},
	{"the kitty keyboard", "\x1b[>1u", "\x1b[<"},
	{"the hidden cursor", "\x1b[?25l", "\x1b[?25h"},
}

// checkSane tells in what respect the terminal is not as it was before.
func (s *session) checkSane() error {
	now, err := unix.IoctlGetTermios(int(s.tty.Fd()), unix.TCGETS)
	if err != nil {
		return err
	}
	if *now != s.sane {
		return fmt.Errorf("the terminal's mode was left changed: %+v, was %+v", *now, s.sane)
	}
	screen := s.text()
	for _, m := range undo {
		if on := strings.LastIndex(screen, m.on); on > strings.LastIndex(screen, m.off) {
			return fmt.Errorf("%s was left on; the screen: %q", m.what, screen)
		}
	}
	return nil
}
