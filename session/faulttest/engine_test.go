//go:build linux

package faulttest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/client"

	"heretic/runner/runnertest"
)

// engine is a Docker engine of the test's own, which it may kill.
type engine struct {
	host  string
	image string
	cli   *client.Client
	in    io.Writer
	out   *bufio.Scanner
}

// script is the program that starts private engines.
const script = "../../scripts/engines/engines"

// startEngine starts an engine that lives as long as the test, whatever
// becomes of it: its standard input is a pipe from here.
func startEngine(t *testing.T, dir string, flags ...string) *engine {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "flags"), []byte(strings.Join(flags, " ")), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(script, "serve", "docker-20", dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
		if text, err := exec.Command(script, "sweep", dir).CombinedOutput(); err != nil {
			t.Errorf("sweep: %v\n%s", err, text)
		}
	})
	e := &engine{in: in, out: bufio.NewScanner(out)}
	if e.host, err = e.answer("ready"); err != nil {
		t.Fatal(err)
	}
	t.Setenv(runnertest.Variable, e.host)
	e.image = runnertest.Image(t)
	e.cli = runnertest.Client(t)
	return e
}

// answer reads the script's next line, which is a word and what follows it.
func (e *engine) answer(want string) (string, error) {
	if !e.out.Scan() {
		return "", fmt.Errorf("the engine has ended: %v", e.out.Err())
	}
	word, rest, _ := strings.Cut(e.out.Text(), " ")
	if word != want {
		return "", fmt.Errorf("the engine says %q, not %s", e.out.Text(), want)
	}
	return rest, nil
}

// kill ends the daemon by SIGKILL.
func (e *engine) kill() error {
	if _, err := io.WriteString(e.in, "kill\n"); err != nil {
		return err
	}
	_, err := e.answer("killed")
	return err
}

// restart starts the daemon again after kill.
func (e *engine) restart() error {
	time.Sleep(100 * time.Millisecond)
	if _, err := io.WriteString(e.in, "start\n"); err != nil {
		return err
	}
	_, err := e.answer("ready")
	return err
}
