package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// sample is what one run of a command took.
type sample struct {
	Wall, CPU time.Duration
	Peak      int64 // bytes of memory
}

// subject is a command that is measured.
type subject struct {
	argv  []string
	dir   string
	stdin string
	// before makes what the command works on; its result is one more argument.
	before func(context.Context) (string, error)
	// bytes is how much the command has to write to standard output; 0 is not
	// checked.
	bytes int64
}

// time runs a subject once.
func (b *bench) time(ctx context.Context, s subject) (sample, error) {
	argv := slices.Clone(s.argv)
	if s.before != nil {
		arg, err := s.before(ctx)
		if err != nil {
			return sample{}, err
		}
		argv = append(argv, arg)
	}
	file, err := os.CreateTemp(b.tmp, "sample-")
	if err != nil {
		return sample{}, err
	}
	file.Close()
	defer os.Remove(file.Name())

	cmd := exec.CommandContext(ctx, b.bin("timed"), append([]string{file.Name()}, argv...)...)
	cmd.Dir = s.dir
	cmd.Env = b.env
	if s.stdin != "" {
		cmd.Stdin = strings.NewReader(s.stdin)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	var out io.ReadCloser
	if s.bytes > 0 {
		if out, err = cmd.StdoutPipe(); err != nil {
			return sample{}, err
		}
	}
	if err := cmd.Start(); err != nil {
		return sample{}, err
	}
	if out != nil {
		n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, out, make([]byte, 1<<20))
		if err == nil && n != s.bytes {
			err = fmt.Errorf("%q wrote %d bytes, want %d", argv, n, s.bytes)
		}
		if err != nil {
			return sample{}, err
		}
	}
	if err := cmd.Wait(); err != nil {
		return sample{}, fmt.Errorf("%q: %w\n%s", argv, err, stderr.String())
	}
	data, err := os.ReadFile(file.Name())
	if err != nil {
		return sample{}, err
	}
	var got sample
	return got, json.Unmarshal(data, &got)
}

// alternate runs all subjects n times, taking turns in changing order, after
// one round that does not count. It returns the samples of each.
func (b *bench) alternate(ctx context.Context, n int, subjects ...subject) ([][]sample, error) {
	samples := make([][]sample, len(subjects))
	for round := range n + 1 {
		for i := range subjects {
			which := (i + round) % len(subjects)
			got, err := b.time(ctx, subjects[which])
			if err != nil {
				return nil, err
			}
			if round > 0 {
				samples[which] = append(samples[which], got)
			}
		}
	}
	return samples, nil
}

// The quantities of a sample.
func wall(s sample) float64 { return float64(s.Wall) }
func cpu(s sample) float64  { return float64(s.CPU) }
func peak(s sample) float64 { return float64(s.Peak) }

func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	if len(values)%2 == 1 {
		return values[len(values)/2]
	}
	return (values[len(values)/2-1] + values[len(values)/2]) / 2
}

func each(samples []sample, what func(sample) float64) []float64 {
	var values []float64
	for _, s := range samples {
		values = append(values, what(s))
	}
	return values
}

// ratio is the median of the ratios of the pairs.
func ratio(ours, theirs []sample, what func(sample) float64) float64 {
	var ratios []float64
	for i := range ours {
		ratios = append(ratios, what(ours[i])/what(theirs[i]))
	}
	return median(ratios)
}

func (b *bench) bin(name string) string { return filepath.Join(b.tmp, "bin", name) }
