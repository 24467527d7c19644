// Package yamledit changes single values in the text of a YAML file and keeps
// every other byte: comments, order, quoting, indentation, line ends.
//
// An edit is a splice at the place of a node. Its result is parsed and held
// against what was asked for; when they differ the edit is refused and nothing
// is lost.
package yamledit

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Path leads to a node: strings are keys of maps, ints are indexes of lists.
type Path []any

// String writes the path as error texts do: mcp[0].env.NAME.
func (p Path) String() string {
	var b strings.Builder
	for _, e := range p {
		switch e := e.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", e)
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			fmt.Fprint(&b, e)
		}
	}
	return b.String()
}

// ErrRefused is wrapped by the error for an edit that the text does not allow,
// for instance inside of an alias.
var ErrRefused = errors.New("cannot make this change and keep the rest of the file as it is")

// Set makes value the value at path. A key that is not there is added after
// the others of its map, and so are the maps above it.
func Set(data []byte, path Path, value *yaml.Node) ([]byte, error) {
	return edit(data, path, func(d *document) error { return d.set(path, value) }, func(root *yaml.Node) error {
		return setNode(root, path, value)
	})
}

// Append adds value to the list at path, which is made when it is not there.
func Append(data []byte, path Path, value *yaml.Node) ([]byte, error) {
	d, err := read(data)
	if err != nil {
		return nil, err
	}
	n, _, ok := d.find(path)
	switch {
	case !ok || isNull(n):
		return Set(data, path, &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: []*yaml.Node{value}})
	case n.Kind != yaml.SequenceNode:
		return nil, fmt.Errorf("%s is not a list: %w", path, ErrRefused)
	}
	return Set(data, append(append(Path{}, path...), len(n.Content)), value)
}

// Remove takes the key or list entry at path out. Comments above it stay. It
// is no error when it is not there.
func Remove(data []byte, path Path) ([]byte, error) {
	d, err := read(data)
	if err != nil {
		return nil, err
	}
	if _, _, ok := d.find(path); !ok || len(path) == 0 {
		return data, nil
	}
	return edit(data, path, func(d *document) error { return d.remove(path) }, func(root *yaml.Node) error {
		return removeNode(root, path)
	})
}

// String is a node for text.
func String(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
}

// document is a parsed text with the offsets of its lines.
type document struct {
	text  []byte
	lines []int // offset of the start of each line
	root  *yaml.Node
	eol   string
}

const bom = "\uFEFF"

func read(data []byte) (*document, error) {
	if !utf8.Valid(data) {
		return nil, fmt.Errorf("not UTF-8 text: %w", ErrRefused)
	}
	d := &document{text: data, eol: "\n"}
	if i := bytes.IndexByte(data, '\n'); i > 0 && data[i-1] == '\r' {
		d.eol = "\r\n"
	}
	d.lines = lineStarts(data)
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	if doc.Kind == yaml.DocumentNode && len(doc.Content) > 0 && !isNull(doc.Content[0]) {
		d.root = doc.Content[0]
	}
	return d, nil
}

// edit splices the text, and proves the result against the change made on the
// tree.
func edit(data []byte, path Path, splice func(*document) error, change func(*yaml.Node) error) ([]byte, error) {
	body, hadBOM := bytes.CutPrefix(data, []byte(bom))
	d, err := read(body)
	if err != nil {
		return nil, err
	}
	want, err := tree(body)
	if err != nil {
		return nil, err
	}
	if err := uniqueKeys(want); err != nil {
		return nil, err
	}
	if err := change(want); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := splice(d); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	got, err := tree(d.text)
	if err != nil || !same(got, want) {
		return nil, fmt.Errorf("%s: %w", path, ErrRefused)
	}
	if hadBOM {
		return append([]byte(bom), d.text...), nil
	}
	return d.text, nil
}

// tree parses text into a map, empty when there is nothing.
func tree(text []byte) (*yaml.Node, error) {
	d, err := read(text)
	if err != nil {
		return nil, err
	}
	if d.root == nil {
		return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}, nil
	}
	return d.root, nil
}

// find returns the node at path and the key node before it, nil for a list
// entry.
func (d *document) find(path Path) (n, key *yaml.Node, ok bool) {
	if d.root == nil {
		return nil, nil, false
	}
	return findNode(d.root, path)
}

// replace splices the text. A span that makes no sense changes nothing, which
// edit then refuses.
func (d *document) replace(from, to int, with string) {
	if from < 0 || to < from || to > len(d.text) {
		return
	}
	text := make([]byte, 0, len(d.text)+len(with))
	text = append(text, d.text[:from]...)
	text = append(text, strings.ReplaceAll(with, "\n", d.eol)...)
	d.text = append(text, d.text[to:]...)
}
