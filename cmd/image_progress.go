package cmd

import (
	"fmt"
	"time"

	"heretic/cmd/internal/ui"
)

// How often a step that takes long is seen to be alive.
const (
	tickOnTerminal = time.Second
	tickElsewhere  = 30 * time.Second
)

// stepProgress shows one step after the other on standard error, each with the
// time that it takes.
type stepProgress struct {
	io    *ui.Streams
	steps chan string
	done  chan struct{}
}

func newStepProgress(io *ui.Streams) *stepProgress {
	p := &stepProgress{io: io, steps: make(chan string), done: make(chan struct{})}
	go p.run()
	return p
}

// begin ends the current step and starts the next one.
func (p *stepProgress) begin(title string) { p.steps <- title }

// end ends the current step, and the progress.
func (p *stepProgress) end() {
	close(p.steps)
	<-p.done
}

func (p *stepProgress) run() {
	defer close(p.done)
	every := tickElsewhere
	if p.io.ErrTTY {
		every = tickOnTerminal
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	var title string
	var start time.Time
	for {
		select {
		case next, ok := <-p.steps:
			if title != "" && p.io.ErrTTY {
				p.show(title, time.Since(start), "\n")
			}
			if !ok {
				return
			}
			title, start = next, time.Now()
			tick.Reset(every)
			if p.io.ErrTTY {
				p.show(title, 0, "")
			} else {
				p.io.Say("%s", title)
			}
		case <-tick.C:
			switch {
			case title == "":
			case p.io.ErrTTY:
				p.show(title, time.Since(start), "")
			default:
				p.io.Say("%s: %s so far", title, time.Since(start).Round(time.Second))
			}
		}
	}
}

// show writes the line of the current step again.
func (p *stepProgress) show(title string, took time.Duration, end string) {
	seconds := ""
	if took >= time.Second {
		seconds = " " + p.io.PaintErr(ui.Dim, took.Round(time.Second).String())
	}
	fmt.Fprintf(p.io.Err, "\r\x1b[K%s%s%s", ui.Clean(title), seconds, end)
}
