//go:build unix

// Timed runs a command and writes what it took, as JSON, to a file. It is a
// program of its own, and a small one, because Linux counts the memory of the
// process that starts another into the peak of the one started.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

func main() {
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "timed:", err)
		os.Exit(1)
	}
}

func run(file string, argv []string) error {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	begin := time.Now()
	err := cmd.Run()
	wall := time.Since(begin)
	if err != nil {
		return fmt.Errorf("%q: %w", argv, err)
	}
	peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	if runtime.GOOS == "linux" {
		peak *= 1024
	}
	data, err := json.Marshal(map[string]int64{
		"Wall": int64(wall),
		"CPU":  int64(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()),
		"Peak": peak,
	})
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o600)
}
