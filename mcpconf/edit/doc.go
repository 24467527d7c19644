// Package edit changes single keys of JSON (with comments) and TOML files that
// an agent owns, and keeps every other byte.
package edit

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"heretic/mcpconf/internal/doc"
)

// Edit sets, or removes, what a path of keys leads to.
type Edit struct {
	Key []string
	// Value is a bool, an int, a string, a []string, a map[string]any, or a
	// tree of the package's own.
	Value  any
	Remove bool
	// Union adds the elements of Value, a string or []string, to the list
	// that is there, less those of Earlier that are not in it any more.
	Union   bool
	Earlier []string
}

// Error tells why a file cannot be edited. Nothing of it is lost: the caller
// still has its content.
type Error struct {
	File      string
	Line, Col int
	Reason    string
}

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

// Apply makes the edits in the content of a file; the name says whether it is
// TOML or JSON. Missing objects on the way are made. Empty content is an empty
// file. What already has its value stays as it is, byte for byte. A file that
// cannot be read, or that has something else where an object should be, is an
// [*Error].
func Apply(file string, data []byte, edits ...Edit) ([]byte, error) {
	const mark = "\uFEFF"
	text, marked := bytes.CutPrefix(data, []byte(mark))
	open := newJSON
	if strings.EqualFold(path.Ext(file), ".toml") {
		open = newTOML
	}
	ed, err := open(text)
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
	if marked {
		out = slices.Concat([]byte(mark), out)
	}
	return out, nil
}

// editor is one file while it is edited.
type editor interface {
	get(key []string) (*yaml.Node, error)
	set(key []string, v *yaml.Node) error
	remove(key []string) error
	bytes() ([]byte, error)
}

func apply(ed editor, e Edit) error {
	if e.Remove {
		return ed.remove(e.Key)
	}
	v, err := nodeOf(e.Value)
	if err != nil {
		return err
	}
	have, err := ed.get(e.Key)
	if err != nil {
		return err
	}
	if e.Union {
		if v, err = union(have, v, e); err != nil {
			return err
		}
	}
	if have != nil && equal(have, v) {
		return nil
	}
	return ed.set(e.Key, v)
}

// union is the list that is there, with the elements of v.
func union(have, v *yaml.Node, e Edit) (*yaml.Node, error) {
	add := v.Content
	if v.Kind != yaml.SequenceNode {
		add = []*yaml.Node{v}
	}
	out := doc.List()
	switch {
	case have == nil || have.Tag == doc.TagNull:
	case have.Kind != yaml.SequenceNode:
		return nil, &doc.SyntaxError{Line: have.Line, Col: have.Column, Reason: fmt.Sprintf("%q is not a list", strings.Join(e.Key, "."))}
	default:
		for _, c := range have.Content {
			if !slices.Contains(e.Earlier, c.Value) || contains(add, c) {
				out.Content = append(out.Content, c)
			}
		}
	}
	for _, a := range add {
		if !contains(out.Content, a) {
			out.Content = append(out.Content, a)
		}
	}
	return out, nil
}

func contains(list []*yaml.Node, n *yaml.Node) bool {
	return slices.ContainsFunc(list, func(c *yaml.Node) bool { return equal(c, n) })
}

// equal compares two trees by value.
func equal(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.Tag == b.Tag && a.Value == b.Value &&
		slices.EqualFunc(a.Content, b.Content, equal)
}

func nodeOf(v any) (*yaml.Node, error) {
	switch v := v.(type) {
	case *yaml.Node:
		return v, nil
	case string:
		return doc.Str(v), nil
	case []string:
		return doc.Strings(v), nil
	default:
		n := &yaml.Node{}
		if err := n.Encode(v); err != nil {
			return nil, fmt.Errorf("a value that cannot be written: %w", err)
		}
		return doc.Resolve(n)
	}
}
