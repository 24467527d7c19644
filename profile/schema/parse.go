package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"gopkg.in/yaml.v3"

	"heretic/mcpconf"
)

// Limits of a file. A profile is far below them; they bound what a hostile
// file costs.
const (
	MaxSize  = 1 << 20
	maxDepth = 100
	maxNodes = 100_000
)

// Parse reads one YAML document strictly: no duplicate key, no second
// document, bounded size and depth. Aliases and merge keys (<<) are replaced
// by what they stand for. The root is a mapping, or nil when the file is empty
// or has only comments. All errors of the file come together; where the text
// is YAML, the root is there beside them, for what else there is to say.
func Parse(file string, data []byte) (*yaml.Node, error) {
	if err := checkText(file, data); err != nil {
		return nil, err
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, syntax(file, data, err)
	}
	var errs []*Error
	var second yaml.Node
	switch err := dec.Decode(&second); {
	case err == nil:
		pos := mcpconf.Pos{File: file, Line: second.Line, Col: firstColumn(data, second.Line)}
		errs = append(errs, &Error{Pos: pos, Msg: "a second YAML document; a profile is one document"})
	case !errors.Is(err, io.EOF):
		return nil, syntax(file, data, err)
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) == 0 {
		return nil, Join(errs)
	}
	e := expander{file: file, errs: errs}
	root := e.node(doc.Content[0], "", 0)
	switch {
	case e.full || root.Kind == yaml.AliasNode:
		return nil, Join(e.errs)
	case root.Tag == "!!null" && root.Value == "":
		return nil, Join(e.errs)
	case root.Kind != yaml.MappingNode:
		e.fail(root, "", "expected a map of keys, found %s", Describe(root))
		return nil, Join(e.errs)
	}
	return root, Join(e.errs)
}

// At is the place of a node.
func At(file string, n *yaml.Node) mcpconf.Pos {
	return mcpconf.Pos{File: file, Line: n.Line, Col: n.Column}
}

// expander copies a tree and replaces aliases and merge keys in the copy.
type expander struct {
	file  string
	nodes int
	open  []*yaml.Node // anchors that are being expanded
	errs  []*Error
	full  bool // a limit was hit; said once
}

func (e *expander) fail(n *yaml.Node, path, format string, args ...any) {
	e.errs = append(e.errs, &Error{Pos: At(e.file, n), Path: path, Msg: fmt.Sprintf(format, args...)})
}

func (e *expander) node(n *yaml.Node, path string, depth int) *yaml.Node {
	e.nodes++
	if e.full {
		return n
	}
	if e.nodes > maxNodes || depth > maxDepth {
		e.full = true
		if depth > maxDepth {
			e.fail(n, "", "nested more than %d levels deep", maxDepth)
		} else {
			e.fail(n, "", "more than %d values once aliases are expanded", maxNodes)
		}
		return n
	}
	switch n.Kind {
	case yaml.AliasNode:
		for _, a := range e.open {
			if a == n.Alias {
				e.fail(n, path, "the anchor %s contains itself", quote(n.Value))
				return n
			}
		}
		e.open = append(e.open, n.Alias)
		c := e.node(n.Alias, path, depth+1)
		e.open = e.open[:len(e.open)-1]
		return c
	case yaml.MappingNode:
		return e.mapping(n, path, depth)
	case yaml.SequenceNode:
		c := *n
		c.Content = make([]*yaml.Node, len(n.Content))
		for i, item := range n.Content {
			c.Content[i] = e.node(item, fmt.Sprintf("%s[%d]", path, i), depth+1)
		}
		return &c
	default:
		return n
	}
}

func (e *expander) mapping(n *yaml.Node, path string, depth int) *yaml.Node {
	c := *n
	c.Content = make([]*yaml.Node, 0, len(n.Content))
	line := map[string]int{} // of each key, to name the first of two
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.Kind == yaml.AliasNode {
			k = k.Alias
		}
		if k.Kind != yaml.ScalarNode {
			e.fail(k, path, "a key must be a word, found %s", Describe(k))
			continue
		}
		sub := Child(path, k.Value)
		if first, ok := line[k.Value]; ok {
			e.fail(k, sub, "the key is there twice (first in line %d)", first)
		} else {
			line[k.Value] = k.Line
		}
		if k.Tag == "!!merge" {
			merged = append(merged, e.node(v, path, depth+1))
			continue
		}
		c.Content = append(c.Content, k, e.node(v, sub, depth+1))
	}
	for _, m := range merged {
		e.merge(&c, m, path, line)
	}
	return &c
}

// merge adds the keys of a merge key's value that the map does not have.
func (e *expander) merge(c, m *yaml.Node, path string, have map[string]int) {
	if m.Kind == yaml.SequenceNode {
		for _, one := range m.Content {
			e.merge(c, one, path, have)
		}
		return
	}
	if m.Kind != yaml.MappingNode {
		e.fail(m, path, "<< takes a map, found %s", Describe(m))
		return
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		k := m.Content[i]
		if _, ok := have[k.Value]; !ok {
			have[k.Value] = k.Line
			c.Content = append(c.Content, k, m.Content[i+1])
		}
	}
}

// Child appends a key to a path.
func Child(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// Describe says what a node is, for an error text. It never shows the value,
// which may be a secret.
func Describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a map"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	switch n.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!bool":
		return "a boolean"
	case "!!int", "!!float":
		return "a number"
	case "!!str":
		return "a string"
	default:
		return "a value tagged " + n.Tag
	}
}
