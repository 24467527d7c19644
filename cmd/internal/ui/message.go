package ui

import (
	"fmt"
	"strings"
)

// Error prints "error: text" to standard error. Further lines of text are
// indented, so that no text from elsewhere passes for a message of its own.
func (s *Streams) Error(text string) { s.message(Red, "error", text) }

// Hint prints "hint: text".
func (s *Streams) Hint(text string) { s.message(Green, "hint", text) }

// Warn prints "warning: text".
func (s *Streams) Warn(text string) { s.message(Yellow, "warning", text) }

// Note prints "note: text".
func (s *Streams) Note(text string) { s.message(Dim, "note", text) }

func (s *Streams) message(colour, label, text string) {
	text = strings.TrimRight(text, "\n")
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = CleanLines(lines[i])
	}
	fmt.Fprintln(s.Err, s.PaintErr(colour, label+":")+" "+strings.Join(lines, "\n  "))
}

// Say prints one line for people to standard error; the arguments are
// escaped.
func (s *Streams) Say(format string, args ...any) {
	fmt.Fprintln(s.Err, CleanLines(fmt.Sprintf(format, args...)))
}

// Print writes the answer to standard output. On a terminal, what is not text
// is escaped; a pipe or a file gets every byte.
func (s *Streams) Print(data []byte) error {
	if s.OutTTY {
		data = []byte(CleanLines(string(data)))
	}
	_, err := s.Out.Write(data)
	return err
}

// Line prints one line of the answer, coloured on a terminal and with what a
// terminal would obey escaped.
func (s *Streams) Line(colour, text string) error {
	_, err := fmt.Fprintln(s.Out, s.PaintOut(colour, Clean(text)))
	return err
}
