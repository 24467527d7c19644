package cmd

import (
	"sync"

	"heretic/cmd/internal/ui"
	"heretic/mcpconf"
)

// warner prints the warnings of a launch when they come. While a full-screen
// agent has the terminal they would be painted over: there each is printed
// once more when the terminal is heretic's again.
type warner struct {
	io     *ui.Streams
	screen bool // the agent gets the terminal

	mu      sync.Mutex
	running bool
	again   []mcpconf.Note
}

// started tells that the agent has the terminal from now on.
func (w *warner) started(string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = w.screen
}

func (w *warner) warn(n mcpconf.Note) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.running {
		w.io.Warn(noteText(n))
		return
	}
	w.again = append(w.again, n)
	// The terminal is raw: lines begin and end with a return of their own.
	_, _ = w.io.Err.Write([]byte("\r\n"))
	w.io.Warn(noteText(n))
	_, _ = w.io.Err.Write([]byte("\r"))
}

// ended prints what may have been painted over.
func (w *warner) ended() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = false
	for _, n := range w.again {
		w.io.Warn(noteText(n))
	}
}
