package image

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"heretic/runner"
)

// Engine is what building needs of an engine; *runner.Engine has it.
type Engine interface {
	Image(ctx context.Context, ref string) (runner.ImageInfo, error)
	Pull(ctx context.Context, ref, platform string, progress io.Writer) error
	Build(ctx context.Context, o runner.BuildOptions) (string, error)
}

// BuildOptions are how an image is built.
type BuildOptions struct {
	// Tags are the names of the image; nil: those of the recipe.
	Tags []string
	// Args are build arguments: HTTPS_PROXY, NPM_CONFIG_REGISTRY and the like.
	// They are not kept in the image, except in its history.
	Args    map[string]string
	Network string // of the build; empty: the engine's default
	NoCache bool
	Pull    bool // look for a newer base
	// Step is told when a step begins. Nil is silent.
	Step func(Step)
	// PullProgress is where the pull of the base shows itself.
	PullProgress io.Writer
}

// Step is a part of the build that takes time.
type Step struct {
	N, Of int
	Title string
}

// How much of what a failed step printed its error shows: lines, and bytes of
// each.
const (
	tailLines = 15
	tailWidth = 400
)

// StepError is returned when a step failed: its title, and what it printed
// last.
type StepError struct {
	Title string
	Tail  []string
	Err   error
	hint  string
}

func (e *StepError) Error() string {
	return fmt.Sprintf("%s: %v\n%s", e.Title, e.Err, strings.Join(e.Tail, "\n"))
}

// Unwrap returns the engine's error.
func (e *StepError) Unwrap() error { return e.Err }

// Hint says what helps most often.
func (e *StepError) Hint() string { return e.hint }

// Built is a finished image.
type Built struct {
	ID   string
	Tags []string
	Took time.Duration
}

// Build builds the image, after pulling what it starts from where that is not
// there.
func Build(ctx context.Context, eng Engine, r Recipe, o BuildOptions) (Built, error) {
	begin := time.Now()
	for _, ref := range []string{r.Node, r.Base} {
		if ref == "" {
			continue
		}
		if err := ensure(ctx, eng, ref, o); err != nil {
			return Built{}, err
		}
	}
	tags := o.Tags
	if tags == nil {
		tags = r.Tags()
	}
	p := &progress{steps: r.steps(), report: o.Step}
	id, err := eng.Build(ctx, runner.BuildOptions{
		Dockerfile: r.Dockerfile(), Tags: tags, Args: o.Args, Network: o.Network, NoCache: o.NoCache, Output: p.line,
	})
	if err != nil {
		return Built{}, p.explain(err)
	}
	return Built{ID: id, Tags: tags, Took: time.Since(begin)}, nil
}

func ensure(ctx context.Context, eng Engine, ref string, o BuildOptions) error {
	if !o.Pull {
		if _, err := eng.Image(ctx, ref); !errors.Is(err, runner.ErrNotFound) {
			return err
		}
	}
	return eng.Pull(ctx, ref, "", o.PullProgress)
}

// progress follows the builder's output.
type progress struct {
	steps  []step
	report func(Step)
	n      int // of the current step, from 1
	tail   []string
}

func (p *progress) line(line string) {
	n, ok := stepNumber(line)
	if !ok {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "Removing intermediate container") {
			// Podman puts the whole command into a line.
			if cut := len(line) - tailWidth; cut > 0 {
				line = "..." + strings.ToValidUTF8(line[cut:], "")
			}
			p.tail = append(p.tail, line)
			p.tail = p.tail[max(0, len(p.tail)-tailLines):]
		}
		return
	}
	p.n, p.tail = n, nil
	if p.report == nil || n > len(p.steps) || p.steps[n-1].title == "" {
		return
	}
	p.report(Step{N: titled(p.steps[:n]), Of: titled(p.steps), Title: p.steps[n-1].title})
}

func titled(steps []step) int {
	n := 0
	for _, s := range steps {
		if s.title != "" {
			n++
		}
	}
	return n
}

// stepNumber reads "Step 3/16 : RUN ..." of Docker and "STEP 3/16: RUN ..." of
// Podman.
func stepNumber(line string) (int, bool) {
	if len(line) < 5 || !strings.EqualFold(line[:5], "step ") {
		return 0, false
	}
	num, _, ok := strings.Cut(line[5:], "/")
	n, err := strconv.Atoi(num)
	return n, ok && err == nil && n > 0
}

// explain puts the failed step into an error of the builder.
func (p *progress) explain(err error) error {
	if _, ok := errors.AsType[*runner.BuildError](err); !ok || p.n == 0 || p.n > len(p.steps) {
		return err
	}
	s := p.steps[p.n-1]
	title := s.title
	if title == "" {
		title, _, _ = strings.Cut(s.text, "\n")
	}
	hint := ""
	switch said := strings.Join(p.tail, "\n") + "\n" + err.Error(); {
	case strings.Contains(said, "apt-get: not found"), strings.Contains(said, "apt-get: command not found"),
		strings.Contains(said, "stat /bin/sh: no such file"):
		hint = "--base wants a Debian or Ubuntu image, or one that has git, ripgrep and the other tools already"
	case strings.Contains(s.text, "apt-get"), strings.Contains(s.text, "npm install"):
		hint = "the build needs a way to the packages of Debian or Ubuntu and of npm: --build-arg passes HTTPS_PROXY or NPM_CONFIG_REGISTRY, --network another network"
	}
	return &StepError{Title: title, Tail: p.tail, Err: err, hint: hint}
}
