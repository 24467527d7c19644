package doc

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
	"gopkg.in/yaml.v3"
)

// JSON reads JSON with comments and trailing commas.
func JSON(data []byte) (*yaml.Node, error) {
	if err := boundJSON(data); err != nil {
		return nil, err
	}
	v, err := ParseJSON(data)
	if err != nil {
		return nil, jsonError(data, err)
	}
	return (&jsonTree{cursor: newCursor(data)}).node(&v), nil
}

// ParseJSON reads the tree that keeps every byte. A newline is added at the
// end: the parser takes a line comment without one for cut off.
func ParseJSON(data []byte) (hujson.Value, error) {
	return hujson.Parse(append(slices.Clip(data), '\n'))
}

type jsonTree struct {
	cursor *cursor
	spare  []yaml.Node // nodes are made many at a time
}

func (t *jsonTree) node(v *hujson.Value) *yaml.Node {
	if len(t.spare) == 0 {
		t.spare = make([]yaml.Node, 64)
	}
	n := &t.spare[0]
	t.spare = t.spare[1:]
	n.Line, n.Column = t.cursor.at(v.StartOffset)
	switch v := v.Value.(type) {
	case *hujson.Object:
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
		n.Content = make([]*yaml.Node, 0, 2*len(v.Members))
		for i := range v.Members {
			n.Content = append(n.Content, t.node(&v.Members[i].Name), t.node(&v.Members[i].Value))
		}
	case *hujson.Array:
		n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
		n.Content = make([]*yaml.Node, 0, len(v.Elements))
		for i := range v.Elements {
			n.Content = append(n.Content, t.node(&v.Elements[i]))
		}
	case hujson.Literal:
		n.Kind = yaml.ScalarNode
		n.Tag, n.Value = jsonScalar(v)
	}
	return n
}

func jsonScalar(l hujson.Literal) (tag, value string) {
	switch l.Kind() {
	case '"':
		// Most strings have no escape: what stands between the quotes is
		// the value.
		if text := l[1 : len(l)-1]; bytes.IndexByte(text, '\\') < 0 && utf8.Valid(text) {
			return TagString, string(text)
		}
		return TagString, l.String()
	case 't', 'f':
		return TagBool, string(l)
	case 'n':
		return TagNull, ""
	default:
		if strings.ContainsAny(string(l), ".eE") {
			return TagFloat, string(l)
		}
		return TagInt, string(l)
	}
}

// jsonError takes hujson's position and reason apart.
func jsonError(data []byte, err error) error {
	reason := trimPrefix(err.Error())
	pos, rest, ok := strings.Cut(reason, ": ")
	if !ok || !strings.HasPrefix(pos, "line ") {
		return &SyntaxError{Reason: reason}
	}
	var line, col int
	if _, err := fmt.Sscanf(pos, "line %d, column %d", &line, &col); err != nil {
		return &SyntaxError{Reason: reason}
	}
	if last := bytes.Count(data, []byte("\n")) + 1; line > last { // behind the newline that was added
		line, col = last, len(data)-bytes.LastIndexByte(data, '\n')
	}
	return &SyntaxError{Line: line, Col: characters(data, line, col), Reason: rest}
}

// characters turns a column in bytes into one in characters.
func characters(data []byte, line, col int) int {
	for ; line > 1; line-- {
		data = data[bytes.IndexByte(data, '\n')+1:]
	}
	return utf8.RuneCount(data[:min(col-1, len(data))]) + 1
}

// boundJSON refuses nesting and numbers of values beyond the bounds before the
// recursive parser sees them.
func boundJSON(data []byte) error {
	depth, values := 0, 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = skipString(data, i)
		case '/':
			i = skipComment(data, i)
		case '{', '[':
			depth++
			values++
		case '}', ']':
			depth--
		case ',', ':':
			values++
		}
		switch {
		case depth > MaxDepth:
			return ErrorAt(data, i, "nested deeper than %d levels", MaxDepth)
		case values > MaxValues:
			return ErrorAt(data, i, "more than %d values", MaxValues)
		}
	}
	return nil
}

// skipString returns the offset of the quote that ends the string at i, or the
// last offset.
func skipString(data []byte, i int) int {
	for i++; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(data) - 1
}

func skipComment(data []byte, i int) int {
	var end string
	switch {
	case bytes.HasPrefix(data[i:], []byte("//")):
		end = "\n"
	case bytes.HasPrefix(data[i:], []byte("/*")):
		end = "*/"
	default:
		return i
	}
	n := bytes.Index(data[i+2:], []byte(end))
	if n < 0 {
		return len(data) - 1
	}
	return i + 2 + n + len(end) - 1
}

// JSONFragment reads members of an object without the braces around them.
func JSONFragment(data []byte) (*yaml.Node, error) {
	root, err := JSON(slices.Concat([]byte("{"), data, []byte("\n}")))
	if err != nil {
		if se, ok := errors.AsType[*SyntaxError](err); ok && se.Line == 1 {
			se.Col--
		}
		return nil, err
	}
	unshift(root)
	return root, nil
}

// unshift takes the brace that was put in front out of the columns.
func unshift(n *yaml.Node) {
	if n.Line == 1 && n.Column > 1 {
		n.Column--
	}
	for _, c := range n.Content {
		unshift(c)
	}
}
