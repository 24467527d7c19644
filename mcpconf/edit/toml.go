package edit

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
	"gopkg.in/yaml.v3"

	"heretic/mcpconf/internal/doc"
)

// segment is one expression of a TOML file with the lines it stands on. A
// comment on lines of its own is a segment without a path.
type segment struct {
	path   []string
	base   []string // the table that the key stands in
	header bool     // of a table; else a key with its value
	text   string
	value  int      // offset in text of the value
	end    int      // offset in text of what follows the value
	lines  []string // added behind text
	blank  string   // the blank lines behind
	tables []string // added behind the blank lines
}

// tomlEditor edits the lines of a file. What it makes is read again before it
// is handed out.
type tomlEditor struct {
	head   []string // root keys added at the top
	segs   []segment
	index  map[string][]int // segments by each prefix of their paths
	keys   map[string]int   // segments that are no header, by their paths
	values map[string]*yaml.Node
}

func newTOML(data []byte) (editor, error) {
	root, err := doc.TOML(data)
	if err != nil {
		return nil, err
	}
	e := &tomlEditor{values: map[string]*yaml.Node{}}
	e.remember(nil, root)
	e.read(data)
	return e, nil
}

func (e *tomlEditor) remember(path []string, n *yaml.Node) {
	e.values[joined(path)] = n
	if n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		e.remember(append(slices.Clip(path), n.Content[i].Value), n.Content[i+1])
	}
}

// read cuts the file into segments.
func (e *tomlEditor) read(data []byte) {
	var p unstable.Parser
	p.KeepComments = true
	p.Reset(data)
	var table []string
	var starts, remarks []int
	for p.NextExpression() {
		x := p.Expression()
		s := segment{base: table}
		offset, remark := int(x.Raw.Offset), -1
		switch x.Kind {
		case unstable.Comment:
		case unstable.Table, unstable.ArrayTable:
			s.path, offset = keyPath(x.Key())
			s.header, table = true, s.path
		default:
			var key []string
			key, offset = keyPath(x.Key())
			s.path = slices.Concat(table, key)
			if c := x.Next(); c.Valid() {
				remark = int(c.Raw.Offset)
			}
		}
		starts = append(starts, bytes.LastIndexByte(data[:offset], '\n')+1)
		remarks = append(remarks, remark)
		e.segs = append(e.segs, s)
	}
	starts = append(starts, len(data))
	for i := range e.segs {
		s := &e.segs[i]
		s.text, s.blank = cutBlank(string(data[starts[i]:starts[i+1]]))
		s.end = len(strings.TrimRight(s.text, " \t\r\n"))
		if remarks[i] >= 0 {
			s.end = len(strings.TrimRight(s.text[:remarks[i]-starts[i]], " \t"))
		}
		s.value = valueOffset(s)
	}
	if starts[0] > 0 {
		e.head = append(e.head, string(data[:starts[0]]))
	}
	e.index, e.keys = map[string][]int{}, map[string]int{}
	for i, s := range e.segs {
		if !s.header && s.path != nil {
			e.keys[joined(s.path)] = i
		}
		for n := range s.path {
			k := joined(s.path[:n+1])
			e.index[k] = append(e.index[k], i)
		}
	}
}

// cutBlank takes the blank lines at the end off.
func cutBlank(s string) (text, blank string) {
	n := len(strings.TrimRight(s, " \t\r\n"))
	if i := strings.IndexByte(s[n:], '\n'); i >= 0 {
		n += i + 1
	}
	return s[:n], s[n:]
}

// keyPath is a dotted key and where it begins.
func keyPath(it unstable.Iterator) (path []string, offset int) {
	for it.Next() {
		if path == nil {
			offset = int(it.Node().Raw.Offset)
		}
		path = append(path, string(it.Node().Data))
	}
	return path, offset
}

// valueOffset is where the value of a key begins: behind the first equals sign
// that is not in quotes.
func valueOffset(s *segment) int {
	if s.header || s.path == nil {
		return 0
	}
	quote := byte(0)
	for i := 0; i < s.end; i++ {
		switch c := s.text[i]; {
		case quote == 0 && c == '=':
			return i + 1 + len(s.text[i+1:]) - len(strings.TrimLeft(s.text[i+1:], " \t"))
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote == '"' && c == '\\':
			i++
		case c == quote:
			quote = 0
		}
	}
	return 0
}

func joined(path []string) string {
	var b []byte
	for _, p := range path {
		b = strconv.AppendQuote(b, p)
	}
	return string(b)
}

func (e *tomlEditor) get(key []string) (*yaml.Node, error) { return e.values[joined(key)], nil }

func (e *tomlEditor) bytes() ([]byte, error) {
	var b bytes.Buffer
	line := func(s string) {
		if b.Len() > 0 && !bytes.HasSuffix(b.Bytes(), []byte("\n")) {
			b.WriteByte('\n')
		}
		b.WriteString(s)
	}
	for _, s := range e.head {
		line(s)
	}
	if len(e.head) > 0 && len(e.segs) > 0 && e.segs[0].header {
		blankLine(&b)
	}
	for i, s := range e.segs {
		if s.text != "" {
			line(s.text)
		}
		for _, l := range s.lines {
			line(l)
		}
		b.WriteString(s.blank)
		for _, t := range s.tables {
			blankLine(&b)
			b.WriteString(t)
		}
		if len(s.tables) > 0 && i+1 < len(e.segs) {
			blankLine(&b)
		}
	}
	_, err := doc.TOML(b.Bytes())
	return b.Bytes(), err
}

func blankLine(b *bytes.Buffer) {
	for b.Len() > 0 && !bytes.HasSuffix(b.Bytes(), []byte("\n\n")) {
		b.WriteByte('\n')
	}
}
