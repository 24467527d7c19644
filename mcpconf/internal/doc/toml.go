package doc

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
	"gopkg.in/yaml.v3"
)

// TOML reads a TOML document.
func TOML(data []byte) (*yaml.Node, error) {
	if err := boundText(data, ",=.[\n"); err != nil {
		return nil, err
	}
	if err := boundTables(data); err != nil {
		return nil, err
	}
	t := &tomlTree{cursor: newCursor(data), index: map[*yaml.Node]map[string]*yaml.Node{}, headed: map[*yaml.Node]bool{}}
	root, err := t.read(data)
	if err != nil {
		return nil, err
	}
	// The tree above knows order and places, but not the rules about what
	// may be defined again.
	var valid map[string]any
	if err := toml.Unmarshal(data, &valid); err != nil {
		if de, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, col := de.Position()
			return nil, &SyntaxError{Line: line, Col: col, Reason: trimPrefix(de.Error())}
		}
		return nil, &SyntaxError{Reason: trimPrefix(err.Error())}
	}
	return root, nil
}

// maxTables bounds the headers of tables: the time of the library grows with
// their square, to two seconds here.
const maxTables = 20000

func boundTables(data []byte) error {
	n, at := 0, 0
	for line := range bytes.Lines(data) {
		at++
		if !bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("[")) {
			continue
		}
		if n++; n > maxTables {
			return &SyntaxError{Line: at, Col: 1, Reason: fmt.Sprintf("more than %d tables", maxTables)}
		}
	}
	return nil
}

type tomlTree struct {
	budget
	parser unstable.Parser
	cursor *cursor
	index  map[*yaml.Node]map[string]*yaml.Node
	headed map[*yaml.Node]bool // tables that had a header
}

func (t *tomlTree) read(data []byte) (*yaml.Node, error) {
	root := t.mapping(1, 1)
	table := root
	t.parser.Reset(data)
	for t.parser.NextExpression() {
		var err error
		switch x := t.parser.Expression(); x.Kind {
		case unstable.Table, unstable.ArrayTable:
			table, err = t.table(root, x)
		case unstable.KeyValue:
			err = t.keyValue(table, x, 1)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := t.parser.Error(); err != nil {
		if pe, ok := errors.AsType[*unstable.ParserError](err); ok {
			off := len(data)
			if len(pe.Highlight) > 0 {
				off = int(t.parser.Range(pe.Highlight).Offset)
			}
			return nil, ErrorAt(data, off, "%s", trimPrefix(pe.Message))
		}
		return nil, &SyntaxError{Reason: trimPrefix(err.Error())}
	}
	return root, nil
}

func (t *tomlTree) mapping(line, col int) *yaml.Node {
	n := Map()
	n.Line, n.Column = line, col
	t.index[n] = map[string]*yaml.Node{}
	return n
}

// at moves to a node's place; a node without one is where the last one was.
func (t *tomlTree) at(x *unstable.Node) (line, col int) {
	if x.Raw.Length > 0 {
		return t.cursor.at(int(x.Raw.Offset))
	}
	return t.cursor.line, t.cursor.col
}

// put adds a member to a mapping.
func (t *tomlTree) put(m, key, v *yaml.Node) {
	m.Content = append(m.Content, key, v)
	t.index[m][key.Value] = v
}

func (t *tomlTree) key(x *unstable.Node) *yaml.Node {
	n := Str(string(x.Data))
	n.Line, n.Column = t.at(x)
	return n
}

// descend follows a dotted key but for its last part, and makes the mappings
// that are not there yet.
func (t *tomlTree) descend(m *yaml.Node, it unstable.Iterator) (parent, last *yaml.Node, err error) {
	for depth := 0; it.Next(); depth++ {
		key := t.key(it.Node())
		if err := t.spend(key, depth); err != nil {
			return nil, nil, err
		}
		if it.IsLast() {
			return m, key, nil
		}
		next := t.index[m][key.Value]
		if next == nil {
			next = t.mapping(key.Line, key.Column)
			t.put(m, key, next)
		}
		if next.Kind == yaml.SequenceNode && len(next.Content) > 0 {
			next = next.Content[len(next.Content)-1]
		}
		if next.Kind != yaml.MappingNode {
			return nil, nil, &SyntaxError{key.Line, key.Column, "the key is not a table"}
		}
		m = next
	}
	return nil, nil, &SyntaxError{Reason: "a key without parts"}
}

func (t *tomlTree) table(root *yaml.Node, x *unstable.Node) (*yaml.Node, error) {
	m, key, err := t.descend(root, x.Key())
	if err != nil {
		return nil, err
	}
	v := t.index[m][key.Value]
	if x.Kind == unstable.Table {
		switch {
		case v == nil:
			v = t.mapping(key.Line, key.Column)
			t.put(m, key, v)
		case v.Kind != yaml.MappingNode:
			return nil, &SyntaxError{key.Line, key.Column, "the key is not a table"}
		case t.headed[v]:
			return nil, &SyntaxError{key.Line, key.Column, "the table was there before"}
		}
		t.headed[v] = true
		return v, nil
	}
	if v == nil {
		v = List()
		v.Line, v.Column = key.Line, key.Column
		t.put(m, key, v)
	}
	if v.Kind != yaml.SequenceNode {
		return nil, &SyntaxError{key.Line, key.Column, "the key is not a list of tables"}
	}
	item := t.mapping(key.Line, key.Column)
	v.Content = append(v.Content, item)
	return item, nil
}

func (t *tomlTree) keyValue(m *yaml.Node, x *unstable.Node, depth int) error {
	m, key, err := t.descend(m, x.Key())
	if err != nil {
		return err
	}
	if _, ok := t.index[m][key.Value]; ok {
		return &SyntaxError{key.Line, key.Column, "the key was there before"}
	}
	v, err := t.value(x.Value(), depth)
	if err != nil {
		return err
	}
	t.put(m, key, v)
	return nil
}

func (t *tomlTree) value(x *unstable.Node, depth int) (*yaml.Node, error) {
	line, col := t.at(x)
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: TagString, Value: string(x.Data), Line: line, Column: col}
	if err := t.spend(n, depth); err != nil {
		return nil, err
	}
	switch x.Kind {
	case unstable.Array:
		n.Kind, n.Tag, n.Value = yaml.SequenceNode, "!!seq", ""
		for it := x.Children(); it.Next(); {
			if it.Node().Kind == unstable.Comment {
				continue
			}
			v, err := t.value(it.Node(), depth+1)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, v)
		}
	case unstable.InlineTable:
		n = t.mapping(line, col)
		for it := x.Children(); it.Next(); {
			if err := t.keyValue(n, it.Node(), depth+1); err != nil {
				return nil, err
			}
		}
	case unstable.LocalDate, unstable.LocalTime, unstable.LocalDateTime, unstable.DateTime:
		n.Tag = "!!timestamp"
	case unstable.Bool:
		n.Tag = TagBool
	case unstable.Integer:
		n.Tag = TagInt
	case unstable.Float:
		n.Tag = TagFloat
	}
	return n, nil
}
