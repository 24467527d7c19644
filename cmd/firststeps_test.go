//go:build unix

package cmd_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/moby/term"
	"github.com/rogpeppe/go-internal/txtar"

	"heretic/runner/runnertest"
)

var update = flag.Bool("update", false, "write the output of its commands into docs/first-steps.md")

const firstSteps = "../docs/first-steps.md"

// TestEngineFirstSteps types the commands of docs/first-steps.md on a terminal,
// one after the other, and compares what the page shows. Its prose and commands
// are written by hand, what they print is written by -args -update.
func TestEngineFirstSteps(t *testing.T) {
	page, err := os.ReadFile(firstSteps)
	if err != nil {
		t.Fatal(err)
	}
	u := newUser(t)
	got := u.walk(string(page))
	switch {
	case *update:
		if err := os.WriteFile(firstSteps, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	case got != string(page):
		t.Errorf("%s shows what is not printed any more; run this test with -args -update. It is:\n%s", firstSteps, got)
	}
}

// user is a new user: a home with projects and nothing of heretic's in it.
type user struct {
	t        *testing.T
	home     string
	dir      string // where the shell is
	env      []string
	toPage   func(string) string
	fromPage *strings.Replacer
}

// pageImage is what the page calls the image of the demo agent.
const pageImage = "my-agent:1"

func newUser(t *testing.T) *user {
	engine, image := runnertest.Client(t), runnertest.DemoImage(t)
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	bin, err := exec.LookPath("heretic") // that of testscript.Main
	if err != nil {
		t.Fatal(err)
	}
	projects, err := txtar.ParseFile("testdata/first-steps.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range projects.Files {
		path := filepath.Join(home, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	u := &user{
		t: t, home: home, dir: home,
		env: []string{
			"HOME=" + home, "PATH=" + filepath.Dir(bin) + string(filepath.ListSeparator) + os.Getenv("PATH"),
			"DOCKER_HOST=" + runnertest.Address(), "TERM=xterm-256color", "NO_COLOR=1", "EDITOR=true",
			"ANTHROPIC_API_KEY=example", "GIT_CONFIG_NOSYSTEM=1",
		},
		toPage:   pageText(home, image),
		fromPage: strings.NewReplacer(pageImage, image),
	}
	for _, project := range []string{"shop", "site"} {
		u.run("git init -q " + project + " && cd " + project + " && git add . && git -c user.name=me -c user.email=me@example.com commit -q -m begin")
		dir := filepath.Join(home, project)
		t.Cleanup(func() { nothingLeft(t, engine, dir) })
	}
	return u
}

// pageText returns the function that puts what stands for it in place of what
// differs from run to run.
func pageText(home, image string) func(string) string {
	stable := []struct {
		pattern *regexp.Regexp
		text    string
	}{
		{regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`), ""},
		{regexp.MustCompile(`(ok       engine: ).*`), "${1}Docker 28.5.2 (API 1.51) at unix:///var/run/docker.sock, chosen by default socket"},
		{regexp.MustCompile(`(ok       editor: ).*`), "${1}vi"},
		{regexp.MustCompile(`(heretic-[a-z]+-)[0-9a-f]{8}`), "${1}1a2b3c4d"},
		{regexp.MustCompile(`(running   )\d+[sm] ?`), "${1}2s "},
		{regexp.MustCompile(`\(\d+ bytes\)`), "(512 bytes)"},
		{regexp.MustCompile(`(?m)[ \t]+$`), ""},
	}
	return func(text string) string {
		text = strings.ReplaceAll(text, home, "/home/me")
		text = strings.ReplaceAll(text, image+"  ", pageImage+strings.Repeat(" ", 2+len(image)-len(pageImage)))
		text = strings.ReplaceAll(text, image, pageImage)
		for _, s := range stable {
			text = s.pattern.ReplaceAllString(text, s.text)
		}
		return text
	}
}

// walk runs the commands of the page's consoles, and returns the page with
// what they print.
func (u *user) walk(page string) string {
	var b strings.Builder
	var command []string
	console := false
	flush := func() {
		if command != nil {
			b.WriteString(u.toPage(u.run(u.fromPage.Replace(strings.Join(command, "\n")))))
			command = nil
		}
	}
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		text, first := strings.CutPrefix(line, "$ ")
		more, follows := strings.CutPrefix(line, "> ")
		switch {
		case !console:
			console = line == "```console"
		case line == "```":
			flush()
			console = false
		case first:
			flush()
			command = []string{text}
		case follows && strings.Contains(strings.Join(command, ""), "<<"):
			command = append(command, more)
		default:
			continue // what was printed when the page was written
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// run is what the terminal shows when a command is typed at the prompt.
func (u *user) run(command string) string {
	if dir, ok := strings.CutPrefix(command, "cd ~"); ok {
		u.dir = filepath.Join(u.home, dir)
		return ""
	}
	if assignment, ok := strings.CutPrefix(command, "export "); ok {
		u.env = append(u.env, assignment)
		return ""
	}
	person, tty, err := pty.Open()
	if err != nil {
		u.t.Fatal(err)
	}
	defer person.Close()
	if err := pty.Setsize(person, &pty.Winsize{Rows: 40, Cols: 120}); err != nil {
		u.t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = u.dir
	cmd.Env = append(u.env, "PWD="+u.dir)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		u.t.Fatal(err)
	}
	if err := tty.Close(); err != nil {
		u.t.Fatal(err)
	}
	deadline := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
	defer deadline.Stop()
	screen := u.watch(person, command)
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() < 0 {
		u.t.Errorf("%s: %v", command, err)
	}
	return screen
}

// watch types what the user types at a command, and returns the screen when
// the command has ended.
func (u *user) watch(person *os.File, command string) string {
	cooked, err := term.SaveState(person.Fd())
	if err != nil {
		u.t.Fatal(err)
	}
	var screen bytes.Buffer
	waiting := answers(command)
	buf := make([]byte, 4096)
	for {
		n, err := person.Read(buf) // ends with EIO when the command has
		screen.Write(buf[:n])
		for err == nil && len(waiting) > 0 && bytes.HasSuffix(screen.Bytes(), []byte(waiting[0].after)) {
			if waiting[0].raw {
				u.awaitRaw(person, cooked)
			}
			if _, err := person.WriteString(waiting[0].typed); err != nil {
				u.t.Fatal(err)
			}
			waiting = waiting[1:]
			screen.WriteString("\x00") // what follows answers the next one
		}
		if err != nil {
			break
		}
	}
	if len(waiting) > 0 {
		u.t.Errorf("%s: %q did not come", command, waiting[0].after)
	}
	text := strings.NewReplacer("\x00", "", "\r", "").Replace(screen.String())
	return strings.TrimRight(text, "\n") + strings.Repeat("\n", min(1, len(text)))
}

// awaitRaw waits until heretic has the terminal in raw mode: keys that come
// before would not reach the agent as they are.
func (u *user) awaitRaw(person *os.File, cooked *term.State) {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if now, err := term.SaveState(person.Fd()); err == nil && !reflect.DeepEqual(now, cooked) {
			return
		}
	}
	u.t.Error("the terminal stays as it was")
}

// answer is what is typed when the screen ends with a text.
type answer struct {
	after, typed string
	raw          bool // for the agent, not for heretic
}

// answers are what the user types at a command.
func answers(command string) []answer {
	const leave = "\x1dd" // ctrl-] d
	switch command {
	case "heretic claude":
		return []answer{{after: "[y/N] ", typed: "y\n"}}
	case "heretic claude -- demo chat":
		return []answer{
			{"What shall I do?\r\n> ", "write a test\r", true},
			{"now write a test.\r\n> ", leave, true},
		}
	case "heretic attach":
		return []answer{
			{"running.\r\n", "run it\r", true},
			{"now run it.\r\n> ", "bye\r", true},
		}
	}
	return nil
}
