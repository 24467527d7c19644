//go:build unix

package cmd_test

import (
	"os"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

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
