//go:build unix

package proof

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// screen is a pseudo-terminal and all that was written to it.
type screen struct {
	tty *os.File
	mu  sync.Mutex
	raw strings.Builder
}

// open starts reading; the file is closed with the test.
func openScreen(t *testing.T) (s *screen, slave *os.File) {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Rows: 50, Cols: 160}); err != nil {
		t.Fatal(err)
	}
	s = &screen{tty: master}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 32<<10)
		rest := ""
		for {
			n, err := master.Read(buf)
			s.mu.Lock()
			s.raw.Write(buf[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
			rest = s.answer(rest + string(buf[:n]))
		}
	}()
	t.Cleanup(func() { master.Close(); <-done })
	return s, slave
}

// answer says what a terminal says when a program asks what it is. It returns
// the end of the output, which may be the beginning of a question.
func (s *screen) answer(output string) (rest string) {
	questions := []struct{ ask, say string }{
		{"\x1b[6n", "\x1b[1;1R"}, {"\x1b[5n", "\x1b[0n"}, {"\x1b[c", "\x1b[?62;22c"}, {"\x1b[0c", "\x1b[?62;22c"},
		{"\x1b]11;?", "\x1b]11;rgb:0000/0000/0000\x1b\\"}, {"\x1b]10;?", "\x1b]10;rgb:ffff/ffff/ffff\x1b\\"},
	}
next:
	for i := 0; i < len(output); i++ {
		if output[i] != 0x1b {
			continue
		}
		for _, q := range questions {
			switch {
			case strings.HasPrefix(output[i:], q.ask):
				_, _ = s.tty.WriteString(q.say)
				continue next
			case strings.HasPrefix(q.ask, output[i:]):
				return output[i:]
			}
		}
	}
	return ""
}

// enter types a line.
func (s *screen) enter(t *testing.T, line string) {
	t.Helper()
	for _, text := range []string{line, "\r"} {
		if _, err := s.tty.WriteString(text); err != nil {
			t.Error(err)
		}
		time.Sleep(300 * time.Millisecond) // what comes at once is taken for a paste
	}
}

// text is what was written so far, without control sequences. Programs move
// the cursor where others write a space.
func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	raw := s.raw.String()
	for i := 0; i < len(raw); i++ {
		if raw[i] != 0x1b || i+1 == len(raw) {
			b.WriteByte(raw[i])
			continue
		}
		i++
		switch raw[i] {
		case '[':
			for i++; i < len(raw) && (raw[i] < '@' || raw[i] > '~'); i++ {
			}
			if i < len(raw) && strings.IndexByte("CGHf", raw[i]) >= 0 {
				b.WriteByte(' ')
			}
		case ']':
			for i++; i < len(raw) && raw[i] != 7 && raw[i] != 0x1b; i++ {
			}
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// questions are what the agents ask before they trust a folder or a server.
func questions() []string {
	return []string{
		"New MCP server", "Continue without using", "Do you trust", "Quick safety check", "Confirm folder trust",
		"Trust this folder", "pending approval", "Pending approval", "new MCP servers found",
	}
}

// proveTerminal starts the terminal interface with a prompt. Nobody answers a
// question: the tools can be called only if the agent asks none. Where they are
// not, it is false, and an error if this is the last attempt.
func proveTerminal(t *testing.T, a agent, s source, image, model string, last bool, results *table) (ok bool) {
	b := newBench(t, model)
	word := "word-" + a.name + "-terminal"
	b.give(s, a.profileOf(image, withModel(word, a.tui), s.profile))
	term, slave := openScreen(t)
	run := b.run(s.flags()...)
	run.Stdin, run.Stdout, run.Stderr = slave, slave, slave
	run.Env = append(run.Env, "TERM=xterm-256color")
	// The test's end must not kill it: the agent would run on.
	run.Cancel = func() error { return os.ErrProcessDone }
	if err := startOnTerminal(run); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	t.Cleanup(func() {
		select {
		case <-ended: // by itself
			return
		default:
		}
		// The test's own context is cancelled by now.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
		defer cancel()
		stop := heretic(ctx, "stop", "it", "-C", b.project, "--time", "1s")
		stop.Env = run.Env
		if out, err := stop.CombinedOutput(); err != nil {
			t.Errorf("heretic stop: %v\n%s", err, out)
			_ = run.Process.Kill()
		}
		<-ended
	})

	fail := func(what string) {
		t.Errorf("%s\nthe model was asked: %+v\nthe terminal: %s", what, b.requests(), term.text())
	}
	await := func(ok func() bool) bool {
		deadline := time.Now().Add(patience)
		for time.Now().Before(deadline) {
			if ok() {
				return true
			}
			select {
			case err := <-ended:
				ended <- err
				return ok()
			case <-time.After(100 * time.Millisecond):
			}
		}
		return false
	}
	asked, since := 0, time.Now()
	if !await(func() bool {
		all := b.requests()
		switch {
		case saw(all, "Echo: "+word):
			return true
		case len(all) != asked:
			asked, since = len(all), time.Now()
		case asked > 0 && !offered(all, "echo") && time.Since(since) > 3*time.Second:
			// The prompt was sent before the servers had answered.
			term.enter(t, "again")
			since = time.Now()
		}
		return false
	}) {
		const what = "the tools were not called in the terminal interface"
		if last {
			fail(what)
		} else {
			t.Logf("%s, once more\nthe model was asked: %+v\nthe terminal: %s", what, b.requests(), term.text())
		}
		return false
	}
	for _, q := range questions() {
		if strings.Contains(term.text(), q) {
			fail("asked: " + q)
			return true
		}
	}
	results.set(a.name, "approved")
	if a.name != "claude" {
		return true
	}
	// Claude lists its servers on request.
	if !await(func() bool { return strings.Contains(term.text(), "standin: done") }) {
		fail("no answer on the screen")
		return true
	}
	term.enter(t, "/mcp")
	if !await(func() bool {
		text := term.text()
		return strings.Contains(text, "memory") && strings.Contains(text, "9 tools") && strings.Contains(text, "everything")
	}) {
		fail("/mcp does not list the servers with their tools")
	}
	return true
}
