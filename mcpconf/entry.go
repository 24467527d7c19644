package mcpconf

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"heretic/mcpconf/internal/doc"
)

// entry is one server while it is read.
type entry struct {
	*reader
	s Server

	word    *yaml.Node // the transport as written
	command *yaml.Node
	args    *yaml.Node
	url     *yaml.Node
	urlIs   Transport // what the key of the url says about the transport
	login   *yaml.Node
}

// entry reads one server; ok is false for what is not an MCP server at all.
func (r *reader) entry(name string, pos Pos, n *yaml.Node) (s Server, ok bool, err error) {
	e := &entry{reader: r, s: Server{Name: name, Pos: pos, at: map[string]Pos{}}}
	clear(r.keys)
	switch {
	case name == "":
		return s, false, serverError(name, "", pos, "the name is empty")
	case !isOneLine(name):
		return s, false, serverError(name, "", pos, "the name has a control character")
	case isHTTP(n):
		e.url = n
	case n.Kind != yaml.MappingNode:
		return s, false, e.fail("", n, "expected an object or an http(s) URL, found %s", kindOf(n))
	default:
		if err := e.fields(n, ""); err != nil {
			return s, false, err
		}
	}
	if e.word != nil && slices.Contains(r.dialect.skip, e.word.Value) {
		e.note("type", e.word, "%s is not an MCP server, left out", e.word.Value)
		return s, false, nil
	}
	if err := e.finish(); err != nil {
		return s, false, err
	}
	return e.s, true, nil
}

// isOneLine tells that a name is text without control characters.
func isOneLine(name string) bool {
	return utf8.ValidString(name) && !strings.ContainsFunc(name, unicode.IsControl)
}

// fields reads the keys of an object: the entry itself, or one that is nested
// in it. prefix is the path of the nested one.
func (e *entry) fields(n *yaml.Node, prefix string) error {
	if e.handlers == nil {
		e.handlers, e.keys = fieldHandlers(), map[string]Pos{}
	}
	for k, v := range pairs(n) {
		path := prefix + k.Value
		if at, ok := e.keys[path]; ok {
			return e.fail(path, k, "the key was there before, at %s", at)
		}
		e.keys[path] = e.pos(k)
		h, ok := e.handlers[k.Value]
		switch {
		case ok:
			if err := h(e, path, v); err != nil {
				return err
			}
		case !isRemark(k.Value):
			e.note(path, k, "unknown key, ignored")
		}
	}
	return nil
}

func (e *entry) fail(field string, n *yaml.Node, format string, args ...any) error {
	return serverError(e.s.Name, field, e.pos(n), format, args...)
}

func (e *entry) note(field string, n *yaml.Node, format string, args ...any) {
	e.notef(e.s.Name, field, e.pos(n))(format, args...)
}

// text reads a scalar as a string that may hold variables.
func (e *entry) text(field string, n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode || isNull(n) {
		return "", e.fail(field, n, "expected a string, found %s", kindOf(n))
	}
	if strings.IndexByte(n.Value, 0) >= 0 || !utf8.ValidString(n.Value) {
		return "", e.fail(field, n, "the value has a NUL character, or is not UTF-8 text")
	}
	for _, d := range e.dialect.dynamic {
		if strings.Contains(n.Value, d) {
			e := serverError(e.s.Name, field, e.pos(n), "only %s can replace %q", e.dialect.name, d+"...")
			e.hint = "put the value into a variable: ${NAME}"
			return "", e
		}
	}
	e.s.at[field] = e.pos(n)
	if !hasVariables(n.Value) {
		return n.Value, nil
	}
	return e.translate(field, n.Value, e.notef(e.s.Name, field, e.pos(n))), nil
}

// texts reads a list of scalars; null is none.
func (e *entry) texts(field string, n *yaml.Node) ([]string, error) {
	if isNull(n) {
		return nil, nil
	}
	if n.Kind != yaml.SequenceNode {
		return nil, e.fail(field, n, "expected a list, found %s", kindOf(n))
	}
	list := make([]string, 0, len(n.Content))
	for i, c := range n.Content {
		s, err := e.text(indexed(field, i), c)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// vars reads a map of scalars in any spelling: an object, a list of
// {name, value}, or a list of NAME=VALUE.
func (e *entry) vars(field string, n *yaml.Node, into *Vars) error {
	switch {
	case isNull(n):
		return nil
	case n.Kind == yaml.MappingNode:
		for k, v := range pairs(n) {
			if err := e.setVar(field, k, k.Value, v, into); err != nil {
				return err
			}
		}
		return nil
	case n.Kind != yaml.SequenceNode:
		return e.fail(field, n, "expected a map, found %s", kindOf(n))
	}
	for _, c := range n.Content {
		name, val := value(c, "name"), value(c, "value")
		switch {
		case name != nil && val != nil && isText(name):
			if err := e.setVar(field, name, name.Value, val, into); err != nil {
				return err
			}
		case isText(c):
			k, v, ok := strings.Cut(c.Value, "=")
			if !ok {
				v = "${" + k + "}"
				e.note(field+"."+k, c, "read as %s=%s", k, v)
			}
			item := &yaml.Node{Kind: yaml.ScalarNode, Tag: doc.TagString, Value: v, Line: c.Line, Column: c.Column}
			if err := e.setVar(field, c, k, item, into); err != nil {
				return err
			}
		default:
			return e.fail(field, c, "expected {name, value} or NAME=VALUE, found %s", kindOf(c))
		}
	}
	return nil
}

func (e *entry) setVar(field string, at *yaml.Node, name string, v *yaml.Node, into *Vars) error {
	path := field + "." + name
	switch {
	case name == "" || !isOneLine(name) || field == "env" && strings.Contains(name, "="):
		return e.fail(path, at, "%q is not a name", name)
	case into.has(name):
		return e.fail(path, at, "the name was there before, at %s", e.s.At(path))
	case isNull(v):
		e.note(path, v, "null, left out")
		return nil
	}
	s, err := e.text(path, v)
	if err != nil {
		return err
	}
	*into = append(*into, Var{name, s})
	return nil
}

// Get returns the value of a name.
func (v Vars) Get(name string) (value string, ok bool) {
	for _, x := range v {
		if x.Name == name {
			return x.Value, true
		}
	}
	return "", false
}

func (v Vars) has(name string) bool {
	_, ok := v.Get(name)
	return ok
}
