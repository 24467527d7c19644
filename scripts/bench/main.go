// Bench measures heretic against what it stands on and what it is compared
// with, in one run, and prints a table. Subjects take turns; ratios are medians
// of the ratios of pairs, so that a busy machine changes little.
//
//	go run ./scripts/bench [-pairs N] [-only launch,startup] [-write docs/performance.md]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/docker/docker/client"

	"heretic/runner/runnertest"
)

// bench is one run of the benchmark.
type bench struct {
	tmp, project string
	image        string
	env          []string
	pairs        int
	docker       *client.Client
}

// section is a group of rows.
type section struct {
	name string
	run  func(*bench, context.Context) ([]row, error)
}

func sections() []section {
	return []section{
		{"launch", (*bench).launch},
		{"together", (*bench).together},
		{"startup", (*bench).startup},
		{"resolve", (*bench).resolve},
		{"stream", (*bench).stream},
	}
}

func main() {
	pairs := flag.Int("pairs", 30, "how often each launch is measured")
	only := flag.String("only", "", "the sections to run, with commas between")
	write := flag.String("write", "", "the document to write the table to")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *pairs, *only, *write); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, pairs int, only, write string) error {
	if _, err := exec.LookPath("docker"); err != nil {
		return fmt.Errorf("the docker command is what heretic is compared with: %w", err)
	}
	b, err := setUp(ctx, pairs)
	if err != nil {
		return err
	}
	defer b.tearDown()
	var rows []row
	for _, s := range sections() {
		if only != "" && !slices.Contains(strings.Split(only, ","), s.name) {
			continue
		}
		fmt.Fprintln(os.Stderr, "bench:", s.name)
		more, err := s.run(b, ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		rows = append(rows, more...)
	}
	where, err := b.machine(ctx)
	if err != nil {
		return err
	}
	text := where + "\n\n" + table(rows)
	fmt.Print(text)
	if write != "" {
		return insert(write, text)
	}
	return nil
}

func setUp(ctx context.Context, pairs int) (*bench, error) {
	tmp, err := os.MkdirTemp("", "heretic-bench-")
	if err != nil {
		return nil, err
	}
	// Paths as the engine and heretic see them.
	if tmp, err = filepath.EvalSymlinks(tmp); err != nil {
		return nil, err
	}
	b := &bench{tmp: tmp, project: filepath.Join(tmp, "project"), pairs: pairs}
	b.env = append(os.Environ(), "HERETIC_HOME="+filepath.Join(tmp, "home"), "HOME="+filepath.Join(tmp, "user"))
	for _, dir := range []string{b.project, filepath.Join(tmp, "bin"), filepath.Join(tmp, "home/agents"), filepath.Join(tmp, "user")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, errors.Join(err, os.RemoveAll(tmp))
		}
	}
	if err := b.build(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(tmp))
	}
	return b, nil
}

func (b *bench) build(ctx context.Context) error {
	for name, pkg := range map[string]string{
		"heretic": "./cmd/heretic",
		"empty":   "./scripts/bench/empty",
		"bareapi": "./scripts/bench/bareapi",
		"timed":   "./scripts/bench/timed",
	} {
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", b.bin(name), pkg)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
		}
	}
	var err error
	if b.docker, err = client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation()); err != nil {
		return err
	}
	b.image, err = runnertest.Agent("").Build(ctx, b.docker)
	return err
}

func (b *bench) tearDown() {
	b.docker.Close()
	if err := os.RemoveAll(b.tmp); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
	}
}

// profile writes a global profile.
func (b *bench) profile(name, text string) error {
	return os.WriteFile(filepath.Join(b.tmp, "home/agents", name+".yaml"), []byte(text), 0o600)
}

// machine says on what the figures were measured.
func (b *bench) machine(ctx context.Context) (string, error) {
	info, err := b.docker.ServerVersion(ctx)
	if err != nil {
		return "", err
	}
	docker, err := exec.CommandContext(ctx, "docker", "--version").Output()
	if err != nil {
		return "", err
	}
	// What else the machine had to do is part of the result.
	load := "unknown"
	if data, err := os.ReadFile("/proc/loadavg"); err == nil {
		load = strings.Join(strings.Fields(string(data))[:3], " ")
	}
	return fmt.Sprintf("%s/%s, %d CPUs, load %s at the end; Linux %s; engine %s (API %s), %s; %s; medians of %d pairs.",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), load, info.KernelVersion, info.Version, info.APIVersion,
		strings.TrimSpace(string(docker)), runtime.Version(), b.pairs), nil
}
