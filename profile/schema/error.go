package schema

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"heretic/mcpconf"
)

// Error is one thing that is wrong in a file.
type Error struct {
	Pos  mcpconf.Pos
	Path string // of the key, "" for the file as a whole
	Msg  string
	Fix  string // what to type next; may be empty
}

// Error returns "file:line:col: key.path: what is wrong".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Pos.String())
	if e.Path != "" {
		b.WriteString(": " + printable(e.Path))
	}
	b.WriteString(": " + e.Msg)
	return b.String()
}

// Hint returns what to type next.
func (e *Error) Hint() string { return e.Fix }

// Join returns all errors of one file as one, in the order of their places;
// nil when there are none. errors.Join's text has one line for each.
func Join(errs []*Error) error {
	if len(errs) == 0 {
		return nil
	}
	slices.SortStableFunc(errs, func(a, b *Error) int {
		if a.Pos.Line != b.Pos.Line {
			return a.Pos.Line - b.Pos.Line
		}
		return a.Pos.Col - b.Pos.Col
	})
	list := make([]error, len(errs))
	for i, e := range errs {
		list[i] = e
	}
	if len(list) == 1 {
		return list[0]
	}
	return errors.Join(list...)
}

// Errors returns the [Error]s in err, which may be joined or wrapped.
func Errors(err error) []*Error {
	switch e := err.(type) {
	case nil:
		return nil
	case *Error:
		return []*Error{e}
	case interface{ Unwrap() []error }:
		var all []*Error
		for _, one := range e.Unwrap() {
			all = append(all, Errors(one)...)
		}
		return all
	default:
		return Errors(errors.Unwrap(err))
	}
}

// printable is s with control characters escaped: keys are untrusted text.
func printable(s string) string {
	for _, r := range s {
		if !strconv.IsPrint(r) {
			q := strconv.Quote(s)
			return q[1 : len(q)-1]
		}
	}
	return s
}

func quote(s string) string {
	if len(s) > 60 {
		s = s[:60] + "..."
	}
	return fmt.Sprintf("%q", s)
}
