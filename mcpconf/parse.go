package mcpconf

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"heretic/mcpconf/internal/doc"
)

// Source says where data came from.
type Source struct {
	Name   string // as shown in errors: a path, or "--mcp", "standard input"
	Format string // one of [Formats]; empty to detect it by Name and content
}

// Set is what [Parse] read.
type Set struct {
	Servers []Server // in the order of the source
	Notes   []Note
	Dialect string // the row of [Formats] it was read as
}

// reader reads one source.
type reader struct {
	file    string
	syn     syntax
	dialect dialect
	inputs  map[string]string // descriptions of VS Code inputs, by id
	notes   []Note
	// handlers are the fields by name, made for the first server.
	handlers map[string]fieldHandler
	// keys are those of the server that is being read, with their places.
	keys map[string]Pos
}

func (r *reader) pos(n *yaml.Node) Pos { return Pos{File: r.file, Line: n.Line, Col: n.Column} }

// Parse reads the servers of any client's file. Without content it returns an
// empty Set and an error that is [ErrEmpty]. An error about one server is a
// [*ServerError], one about the source a [*FormatError].
func Parse(src Source, data []byte) (Set, error) {
	r := &reader{file: src.Name}
	if src.Format != "" {
		d, ok := dialectNamed(src.Format)
		if !ok {
			return Set{}, &FormatError{
				Pos:  Pos{File: src.Name},
				text: fmt.Sprintf("unknown format '%s'", printable(src.Format)),
				hint: "known formats: " + strings.Join(Formats(), ", "),
			}
		}
		r.dialect = d
	}
	text, err := r.decode(data)
	if err != nil {
		if errors.Is(err, ErrEmpty) {
			return Set{Notes: []Note{{Text: err.Error(), Pos: Pos{File: src.Name}}}}, err
		}
		return Set{}, err
	}
	root, err := r.read(text)
	if err != nil {
		return Set{}, err
	}
	return r.document(root)
}

// decode checks size and encoding and takes a byte-order mark away.
func (r *reader) decode(data []byte) ([]byte, error) {
	fail := func(reason error, hint, format string, args ...any) error {
		return &FormatError{Pos: Pos{File: r.file}, text: fmt.Sprintf(format, args...), hint: hint, reason: reason}
	}
	name := printable(r.file)
	if len(data) > doc.MaxSize {
		return nil, fail(nil, "", "MCP file is too large: %s: %d bytes, the limit is %d", name, len(data), doc.MaxSize)
	}
	if e := UTF16(data); e != "" {
		return nil, fail(nil, fmt.Sprintf("convert it: iconv -f %s -t UTF-8", e), "MCP file is %s, not UTF-8: %s", e, name)
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, fail(ErrEmpty, "", "MCP file is empty: %s", name)
	}
	if !utf8.Valid(data) {
		return nil, fail(nil, "", "MCP file is not UTF-8 text: %s", name)
	}
	return data, nil
}

// UTF16 names the encoding of text that is UTF-16, else it is empty. It
// recognises the byte-order mark, or the zero bytes beside the ASCII character
// that any format begins with.
func UTF16(data []byte) string {
	if len(data) < 2 {
		return ""
	}
	switch a, b := data[0], data[1]; {
	case a == 0xFF && b == 0xFE, a != 0 && b == 0:
		return "UTF-16LE"
	case a == 0xFE && b == 0xFF, a == 0 && b != 0:
		return "UTF-16BE"
	default:
		return ""
	}
}

func (r *reader) syntaxError(syn syntax, err error) error {
	fe := &FormatError{
		Pos:    Pos{File: r.file},
		text:   fmt.Sprintf("Failed to parse MCP file as %s: %s: %s", syn, printable(r.file), printable(err.Error())),
		reason: err,
	}
	if se, ok := errors.AsType[*doc.SyntaxError](err); ok {
		fe.Pos.Line, fe.Pos.Col = se.Line, se.Col
	}
	return fe
}
