//go:build unix

package cmd_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
)

// scriptTerminal runs a command on a terminal of its own, types a file there,
// and checks the exit code: terminal 0 answers heretic init. What the terminal
// showed is in $WORK/screen afterwards, what went to the command's standard
// output and error in $WORK/stdout and $WORK/stderr.
func scriptTerminal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: terminal code file command...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	typed := ts.ReadFile(args[1])
	person, tty, err := pty.Open()
	ts.Check(err)
	defer person.Close()

	cmd := exec.Command(lookPath(ts, args[2]), args[3:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(scriptEnv(ts), "PWD="+cmd.Dir, "TERM=dumb")
	var stdout, stderr strings.Builder
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	ts.Check(cmd.Start())
	ts.Check(tty.Close())
	shown := make(chan string)
	go func() {
		text, _ := io.ReadAll(person) // ends with EIO when the command has
		shown <- string(text)
	}()
	_, err = person.WriteString(typed)
	ts.Check(err)
	err = cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		ts.Fatalf("%v", err)
	} else if got := cmd.ProcessState.ExitCode(); got != want {
		ts.Fatalf("exit code %d, want %d (%v)\n%s", got, want, exit, stderr.String())
	}
	screen := strings.ReplaceAll(<-shown, "\r\n", "\n")
	ts.Logf("[screen]\n%s", screen)
	for name, text := range map[string]string{"screen": screen, "stdout": stdout.String(), "stderr": stderr.String()} {
		ts.Check(os.WriteFile(filepath.Join(ts.Getenv("WORK"), name), []byte(text), 0o600))
	}
}

// lookPath finds a command in the script's PATH.
func lookPath(ts *testscript.TestScript, name string) string {
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if path := filepath.Join(dir, name); isFile(path) {
			return path
		}
	}
	ts.Fatalf("%s: not found", name)
	return ""
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// scriptEnv is the part of the script's environment that heretic looks at.
func scriptEnv(ts *testscript.TestScript) []string {
	var env []string
	for _, name := range []string{
		"HOME", "PATH", "TMPDIR", "WORK", "DOCKER_HOST", "HERETIC_HOME", "HERETIC_TRUST",
		"DBUS_SESSION_BUS_ADDRESS", "VISUAL", "EDITOR", "GH_TOKEN", "ANTHROPIC_API_KEY", "IMAGE",
	} {
		if value := ts.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}
