// Package doc reads JSON with comments, TOML and YAML into one ordered tree
// with positions: a [yaml.Node] without aliases, whose mappings may repeat a
// key. Size, depth and number of values are bounded, so that hostile input
// costs little time and memory.
package doc

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// The bounds of one document. A file of 10,000 servers stays well below them.
const (
	MaxSize   = 16 << 20 // bytes
	MaxDepth  = 200
	MaxValues = 500_000
)

// SyntaxError tells why a document cannot be read, and where. Line and Col
// count from 1, Col in characters; zero is unknown.
type SyntaxError struct {
	Line, Col int
	Reason    string
}

func (e *SyntaxError) Error() string {
	switch {
	case e.Line == 0:
		return e.Reason
	case e.Col == 0:
		return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
	default:
		return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Col, e.Reason)
	}
}

// The tags of scalars.
const (
	TagString = "!!str"
	TagInt    = "!!int"
	TagFloat  = "!!float"
	TagBool   = "!!bool"
	TagNull   = "!!null"
)

// cursor turns byte offsets, asked for in rising order, into lines and
// columns in linear time.
type cursor struct {
	data      []byte
	off       int
	line, col int
}

func newCursor(data []byte) *cursor { return &cursor{data: data, line: 1, col: 1} }

func (c *cursor) at(off int) (line, col int) {
	for c.off < off && c.off < len(c.data) {
		if c.data[c.off] == '\n' {
			c.line, c.col = c.line+1, 0
		}
		if utf8.RuneStart(c.data[c.off]) {
			c.col++
		}
		c.off++
	}
	return c.line, c.col
}

// ErrorAt makes the error of a byte offset.
func ErrorAt(data []byte, off int, format string, args ...any) *SyntaxError {
	line, col := newCursor(data).at(off)
	return &SyntaxError{Line: line, Col: col, Reason: fmt.Sprintf(format, args...)}
}

// budget counts values and depth while a tree is built.
type budget struct{ values int }

func (b *budget) spend(n *yaml.Node, depth int) error {
	b.values++
	switch {
	case depth > MaxDepth:
		return &SyntaxError{n.Line, n.Column, fmt.Sprintf("nested deeper than %d levels", MaxDepth)}
	case b.values > MaxValues:
		return &SyntaxError{n.Line, n.Column, fmt.Sprintf("more than %d values", MaxValues)}
	}
	return nil
}

// boundText refuses a text with more separators than a document within the
// bounds can need, before a parser spends memory on it.
func boundText(data []byte, separators string) error {
	n := 0
	for i := range len(separators) {
		n += bytes.Count(data, []byte{separators[i]})
	}
	if n > 2*MaxValues {
		return &SyntaxError{Reason: fmt.Sprintf("more than %d values", MaxValues)}
	}
	return nil
}

// trimPrefix takes the name of the library out of its message.
func trimPrefix(msg string) string {
	for _, p := range []string{"hujson: ", "yaml: ", "toml: "} {
		msg = strings.TrimPrefix(msg, p)
	}
	return msg
}
