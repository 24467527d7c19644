package term

import (
	"io"

	"github.com/muesli/cancelreader"
)

// Input is a reader whose blocked Read can be ended without taking a byte.
type Input struct {
	io.Reader
	cancel cancelreader.CancelReader
}

// NewInput wraps r. A stream that is neither a terminal nor a pipe cannot be
// ended early; a regular file does not block, so it need not be.
func NewInput(r io.Reader) *Input {
	c, err := cancelreader.NewReader(r)
	if err != nil {
		return &Input{Reader: r}
	}
	return &Input{Reader: c, cancel: c}
}

// Stop ends the Read that is under way and every later one. It tells whether
// that was possible.
func (i *Input) Stop() bool { return i.cancel != nil && i.cancel.Cancel() }

// Close frees what Stop needed; the stream itself stays open. No Read may be
// under way.
func (i *Input) Close() {
	if i.cancel != nil {
		i.cancel.Close()
	}
}
