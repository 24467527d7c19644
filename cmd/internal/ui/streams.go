package ui

import (
	"bytes"
	"io"
	"os"

	"github.com/moby/term"
)

// Streams are the three standard streams. Out carries the answer, Err
// everything else.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer

	// InTTY, OutTTY and ErrTTY tell which of the streams are terminals.
	InTTY, OutTTY, ErrTTY bool
	// Colour allows colour on those streams that are terminals.
	Colour bool
}

// NewStreams looks at the process's streams and at NO_COLOR and TERM in the
// environment.
func NewStreams(in, out, err *os.File, lookup func(string) (string, bool)) *Streams {
	noColour, _ := lookup("NO_COLOR")
	kind, _ := lookup("TERM")
	return &Streams{
		In: in, Out: out, Err: err,
		InTTY:  term.IsTerminal(in.Fd()),
		OutTTY: term.IsTerminal(out.Fd()),
		ErrTTY: term.IsTerminal(err.Fd()),
		Colour: noColour == "" && kind != "dumb",
	}
}

// Test returns streams that are buffers, none of them a terminal.
func Test() (s *Streams, in, out, err *bytes.Buffer) {
	in, out, err = new(bytes.Buffer), new(bytes.Buffer), new(bytes.Buffer)
	return &Streams{In: in, Out: out, Err: err}, in, out, err
}

// Colours of the few words that have one.
const (
	Red    = "31"
	Green  = "32"
	Yellow = "33"
	Bold   = "1"
	Dim    = "2"
)

// PaintErr colours s for standard error.
func (s *Streams) PaintErr(colour, text string) string {
	return paint(s.Colour && s.ErrTTY, colour, text)
}

// PaintOut colours s for standard output.
func (s *Streams) PaintOut(colour, text string) string {
	return paint(s.Colour && s.OutTTY, colour, text)
}

func paint(on bool, colour, text string) string {
	if !on {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}
