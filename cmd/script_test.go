//go:build unix

package cmd_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"heretic/cmd"
	"heretic/runner/runnertest"
)

func TestMain(m *testing.M) {
	runnertest.Filter()
	runnertest.HearHangups()
	testscript.Main(m, map[string]func(){
		"heretic": func() { os.Exit(cmd.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestScript runs the scripts that need no engine. HOME is $WORK/home; no
// engine can be found from there.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setupScript,
		Cmds:                scriptCommands(),
	})
}

func setupScript(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	env.Setenv("HOME", home)
	env.Setenv("USERPROFILE", home)
	env.Setenv("DOCKER_HOST", "unix://"+filepath.Join(env.WorkDir, "no-engine.sock"))
	return os.MkdirAll(home, 0o755)
}

func scriptCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"exits":    scriptExits,
		"mkfifo":   scriptMkfifo,
		"absent":   scriptAbsent,
		"contains": scriptContains,
		"terminal": scriptTerminal,
	}
}

// scriptExits runs a command and checks its exit code: exits 125 heretic run x.
func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// scriptMkfifo makes a named pipe: mkfifo path.
func scriptMkfifo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: mkfifo path")
	}
	ts.Check(syscall.Mkfifo(ts.MkAbs(args[0]), 0o600))
}

// scriptAbsent checks that nothing is at the paths, not even a broken link.
func scriptAbsent(ts *testscript.TestScript, neg bool, args []string) {
	for _, path := range args {
		if _, err := os.Lstat(ts.MkAbs(path)); (err == nil) != neg {
			ts.Fatalf("%s: exists: %v", path, err == nil)
		}
	}
}

// scriptContains checks that a file (stdout and stderr too) has the given
// text: contains stderr 'text'.
func scriptContains(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: contains file text")
	}
	if strings.Contains(ts.ReadFile(args[0]), args[1]) == neg {
		ts.Fatalf("%s: contains %q: %v\n%s", args[0], args[1], neg, ts.ReadFile(args[0]))
	}
}

// scriptUntil runs a command until its standard output has the text, for at
// most half a minute: until 'ready' heretic logs claude.
func scriptUntil(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until text command...")
	}
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		err := ts.Exec(args[1], args[2:]...)
		if err == nil && strings.Contains(ts.ReadFile("stdout"), args[0]) {
			return
		}
	}
	ts.Fatalf("%q did not come", args[0])
}
