package mcpconf

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

var (
	// ErrEmpty is what [Parse] wraps for a source without any content. The
	// Set it returns with it is valid: no servers, and a note that says so.
	ErrEmpty = errors.New("MCP file is empty")
	// ErrNoServers is what [Parse] wraps for a readable source that holds
	// no MCP servers in any known shape.
	ErrNoServers = errors.New("no MCP servers found")
)

// FormatError tells that a source as a whole cannot be read: its syntax, its
// encoding, its size or its shape.
type FormatError struct {
	Pos    Pos // Line is zero when the whole file is meant
	text   string
	hint   string
	reason error
}

func (e *FormatError) Error() string { return e.text }

// Hint says what to do about it; it may be empty.
func (e *FormatError) Hint() string { return e.hint }

func (e *FormatError) Unwrap() error { return e.reason }

// ServerError is what is wrong with one server.
type ServerError struct {
	Server string
	Field  string // "command", "env.KEY", ...; empty for the server as a whole
	Pos    Pos
	text   string
	hint   string
}

func (e *ServerError) Error() string { return e.text }

// Hint says what to do about it; it may be empty.
func (e *ServerError) Hint() string { return e.hint }

// serverError is the general form: what is wrong with a field, and where.
func serverError(name, field string, pos Pos, format string, args ...any) *ServerError {
	text := fmt.Sprintf(format, args...)
	if field != "" {
		text = printable(field) + ": " + text
	}
	return &ServerError{
		Server: name, Field: field, Pos: pos,
		text: fmt.Sprintf("MCP server '%s' in %s: %s", printable(name), pos, text),
	}
}

// missingError has the words that users know from the original program.
func missingError(name string, pos Pos, t Transport) *ServerError {
	e := &ServerError{Server: name, Pos: pos}
	what := "'command'"
	e.hint = fmt.Sprintf("add a command, or a url, to the entry at %s", pos)
	if t != Stdio {
		what = "'url' for http transport"
		e.hint = fmt.Sprintf("add a url to the entry at %s", pos)
	}
	e.text = fmt.Sprintf("MCP server '%s' in %s is missing required field %s", printable(name), printable(pos.File), what)
	return e
}

// printable escapes whatever could drive a terminal.
func printable(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		q := strconv.QuoteRune(r)
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}
