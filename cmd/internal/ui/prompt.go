package ui

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// ErrNoTerminal is returned where a question cannot be asked: standard input
// is not a terminal.
var ErrNoTerminal = errors.New("there is no terminal to ask on")

// Prompter asks questions on the controlling terminal, whatever standard
// output and error are. The terminal stays in its normal mode, so that what is
// typed ahead of a question is not lost to whoever reads next.
type Prompter struct {
	in, out *os.File // the terminal; one file where the system allows it
	lines   *bufio.Reader
	colour  bool
}

// Option is one of the answers of [Prompter.Choose].
type Option struct{ Name, Text string }

// Prompter opens the terminal. The error is [ErrNoTerminal] where there is
// none.
func (s *Streams) Prompter() (*Prompter, error) {
	if !s.InTTY {
		return nil, ErrNoTerminal
	}
	in, out, err := openTerminal()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoTerminal, err)
	}
	return newPrompter(in, out, s.Colour), nil
}

func newPrompter(in, out *os.File, colour bool) *Prompter {
	return &Prompter{in: in, out: out, lines: bufio.NewReader(in), colour: colour}
}

// Close closes the terminal.
func (p *Prompter) Close() error {
	if p.in == p.out {
		return p.in.Close()
	}
	return errors.Join(p.in.Close(), p.out.Close())
}

// Print writes text to the terminal; the arguments are escaped.
func (p *Prompter) Print(format string, args ...any) {
	fmt.Fprint(p.out, CleanLines(fmt.Sprintf(format, args...)))
}

// Ask asks for a line of text; an empty answer is def.
func (p *Prompter) Ask(ctx context.Context, question, def string) (string, error) {
	suffix := ": "
	if def != "" {
		suffix = " [" + Clean(def) + "]: "
	}
	answer, err := p.line(ctx, question, suffix)
	if err != nil || answer != "" {
		return answer, err
	}
	return def, nil
}

// Confirm asks a yes or no question; an empty answer is def, and ctrl-d is no.
func (p *Prompter) Confirm(ctx context.Context, question string, def bool) (bool, error) {
	suffix := " [y/N] "
	if def {
		suffix = " [Y/n] "
	}
	for {
		answer, err := p.line(ctx, question, suffix)
		if errors.Is(err, ErrNoAnswer) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		switch strings.ToLower(answer) {
		case "":
			return def, nil
		case "y", "yes":
			return true, nil
		case "n", "no":
			return false, nil
		}
		fmt.Fprintln(p.out, "Please answer y or n.")
	}
}

// Choose asks for one of the options, by number or name, and returns its
// index. An empty answer is def.
func (p *Prompter) Choose(ctx context.Context, question string, options []Option, def int) (int, error) {
	width := 0
	for _, o := range options {
		width = max(width, len(o.Name))
	}
	fmt.Fprintln(p.out, paint(p.colour, Bold, question))
	for i, o := range options {
		fmt.Fprintf(p.out, "  %2d) %-*s  %s\n", i+1, width, Clean(o.Name), Clean(o.Text))
	}
	for {
		answer, err := p.line(ctx, "Choose", fmt.Sprintf(" [%d]: ", def+1))
		if err != nil {
			return 0, err
		}
		if answer == "" {
			return def, nil
		}
		if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= len(options) {
			return n - 1, nil
		}
		for i, o := range options {
			if o.Name == answer {
				return i, nil
			}
		}
		fmt.Fprintf(p.out, "Please type a number from 1 to %d, or a name.\n", len(options))
	}
}

// Secret asks for a line that is not shown while it is typed.
func (p *Prompter) Secret(ctx context.Context, question string) (string, error) {
	restore, err := hideInput(p.in)
	if err != nil {
		return "", err
	}
	defer restore()
	answer, err := p.line(ctx, question, ": ")
	fmt.Fprintln(p.out)
	return answer, err
}

// ErrNoAnswer is the error of a question that was answered with ctrl-d.
var ErrNoAnswer = errors.New("no answer")

// line asks and reads one line. It returns early when ctx is cancelled, which
// is what ctrl-c does.
func (p *Prompter) line(ctx context.Context, question, suffix string) (string, error) {
	fmt.Fprint(p.out, paint(p.colour, Bold, CleanLines(question))+suffix)
	type answer struct {
		text string
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		text, err := p.lines.ReadString('\n')
		answers <- answer{text, err}
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(p.out)
		return "", ctx.Err()
	case a := <-answers:
		text := strings.TrimSpace(a.text)
		switch {
		case errors.Is(a.err, io.EOF) && text == "":
			fmt.Fprintln(p.out)
			return "", ErrNoAnswer
		case a.err != nil && !errors.Is(a.err, io.EOF):
			fmt.Fprintln(p.out)
			return "", fmt.Errorf("read the answer: %w", a.err)
		}
		return text, nil
	}
}
