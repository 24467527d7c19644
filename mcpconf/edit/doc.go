// Package edit changes single keys of JSON (with comments) and TOML files that
// an agent owns, and keeps every other byte.
package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"heretic/mcpconf/internal/doc"
)

// Edit sets what a path of keys leads to, or takes it out.
type Edit struct {
	Key []string
	// Value is a bool, a number, a string, a list or a map, as encoding/json
	// takes them.
	Value  any
	Remove bool
}

// Error tells why a file cannot be edited. Nothing of it is lost: the caller
// still has its content.
type Error struct {
	File      string
	Line, Col int
	Reason    string
	err       error
}

func (e *Error) Unwrap() error { return e.err }

func (e *Error) Error() string {
	pos := e.File
	if e.Line > 0 {
		pos = fmt.Sprintf("%s:%d", pos, e.Line)
		if e.Col > 0 {
			pos = fmt.Sprintf("%s:%d", pos, e.Col)
		}
	}
	return pos + ": " + e.Reason
}

// Hint says what to do about it.
func (e *Error) Hint() string { return "mend the file, or delete it" }

// Get returns what a path of keys leads to. Empty content is an empty file.
func Get(file string, data []byte, key []string) (value any, ok bool, err error) {
	ed, err := open(file, data)
	if err != nil {
		return nil, false, located(file, err)
	}
	n, err := ed.get(key)
	if err != nil || n == nil {
		return nil, false, located(file, err)
	}
	if err := n.Decode(&value); err != nil {
		return nil, false, located(file, err)
	}
	return value, true, nil
}

// Apply makes the edits in the content of a file; the name says whether it is
// TOML or JSON. Missing objects on the way are made. Empty content is an empty
// file. What already has its value stays as it is, byte for byte. A file that
// cannot be read, or that has something else where an object should be, is an
// [*Error].
func Apply(file string, data []byte, edits ...Edit) ([]byte, error) {
	ed, err := open(file, data)
	for _, e := range edits {
		if err != nil {
			break
		}
		err = apply(ed, e)
	}
	var out []byte
	if err == nil {
		out, err = ed.bytes()
	}
	if err != nil {
		return nil, located(file, err)
	}
	if bytes.HasPrefix(data, []byte(mark)) {
		out = slices.Concat([]byte(mark), out)
	}
	return out, nil
}

// mark is the byte-order mark, which is kept.
const mark = "\uFEFF"

// editor is one file while it is edited.
type editor interface {
	// get returns nil for what is not there.
	get(key []string) (*yaml.Node, error)
	set(key []string, v *yaml.Node) error
	remove(key []string) error
	bytes() ([]byte, error)
}

func open(file string, data []byte) (editor, error) {
	data = bytes.TrimPrefix(data, []byte(mark))
	switch {
	case len(data) > doc.MaxSize:
		return nil, fmt.Errorf("%d bytes, the limit is %d", len(data), doc.MaxSize)
	case !utf8.Valid(data):
		return nil, errors.New("not UTF-8 text")
	case strings.EqualFold(path.Ext(file), ".toml"):
		return newTOML(data)
	default:
		return newJSON(data)
	}
}

func apply(ed editor, e Edit) error {
	if len(e.Key) == 0 || slices.ContainsFunc(e.Key, func(k string) bool { return !utf8.ValidString(k) || strings.Contains(k, "\x00") }) {
		return errors.New("an edit without a key, or with one that is not text")
	}
	if e.Remove {
		return ed.remove(e.Key)
	}
	v, err := nodeOf(e.Value)
	if err != nil {
		return err
	}
	have, err := ed.get(e.Key)
	if err != nil || have != nil && equal(have, v) {
		return err
	}
	return ed.set(e.Key, v)
}

// equal compares two trees by value.
func equal(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.Tag == b.Tag && a.Value == b.Value &&
		slices.EqualFunc(a.Content, b.Content, equal)
}

func nodeOf(v any) (*yaml.Node, error) {
	if n, ok := v.(*yaml.Node); ok {
		return n, nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("a value that cannot be written: %w", err)
	}
	return doc.JSON(text)
}

// located puts the name of the file in front of an error.
func located(file string, err error) error {
	if err == nil {
		return nil
	}
	out := &Error{File: file, Reason: err.Error(), err: err}
	if se, ok := errors.AsType[*doc.SyntaxError](err); ok {
		out.Line, out.Col, out.Reason = se.Line, se.Col, se.Reason
	}
	return out
}
