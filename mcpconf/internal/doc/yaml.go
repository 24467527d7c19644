package doc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// YAML reads one YAML document.
func YAML(data []byte) (*yaml.Node, error) {
	if err := boundText(data, ",:\n"); err != nil {
		return nil, err
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var root, second yaml.Node
	if err := dec.Decode(&root); err != nil && !errors.Is(err, io.EOF) {
		return nil, yamlError(err)
	}
	switch err := dec.Decode(&second); {
	case err == nil:
		return nil, &SyntaxError{second.Line, second.Column, "a second document"}
	case !errors.Is(err, io.EOF):
		return nil, yamlError(err)
	}
	return Resolve(&root)
}

func yamlError(err error) error {
	e := &SyntaxError{Reason: trimPrefix(err.Error())}
	if pos, rest, ok := strings.Cut(e.Reason, ": "); ok {
		if _, err := fmt.Sscanf(pos, "line %d", &e.Line); err == nil {
			e.Reason = rest
		}
	}
	return e
}

// Resolve copies a YAML tree without its aliases and merge keys, within the
// bounds of a document.
func Resolve(n *yaml.Node) (*yaml.Node, error) {
	if n != nil && n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
		n = n.Content[0]
	}
	if n == nil || n.Kind == 0 {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: TagNull}, nil
	}
	return (&budget{}).resolve(n, 1)
}

func (b *budget) resolve(n *yaml.Node, depth int) (*yaml.Node, error) {
	if err := b.spend(n, depth); err != nil {
		return nil, err
	}
	if n.Kind == yaml.AliasNode {
		return b.resolve(n.Alias, depth+1)
	}
	out := &yaml.Node{Kind: n.Kind, Tag: n.ShortTag(), Value: n.Value, Line: n.Line, Column: n.Column}
	if n.Kind == yaml.MappingNode {
		return out, b.members(out, n, depth)
	}
	for _, c := range n.Content {
		r, err := b.resolve(c, depth+1)
		if err != nil {
			return nil, err
		}
		out.Content = append(out.Content, r)
	}
	return out, nil
}

// members copies a mapping. What it merges in stands behind its own keys, and
// yields to them.
func (b *budget) members(out, n *yaml.Node, depth int) error {
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, err := b.resolve(n.Content[i], depth+1)
		if err != nil {
			return err
		}
		v, err := b.resolve(n.Content[i+1], depth+1)
		switch {
		case err != nil:
			return err
		case key.Kind != yaml.ScalarNode:
			return &SyntaxError{key.Line, key.Column, "a key must be a plain value"}
		case key.Tag != "!!merge":
			out.Content = append(out.Content, key, v)
		case v.Kind == yaml.SequenceNode:
			merged = append(merged, v.Content...)
		default:
			merged = append(merged, v)
		}
	}
	if len(merged) == 0 {
		return nil
	}
	have := map[string]bool{}
	for i := 0; i < len(out.Content); i += 2 {
		have[out.Content[i].Value] = true
	}
	for _, m := range merged {
		if m.Kind != yaml.MappingNode {
			return &SyntaxError{m.Line, m.Column, "only a map can be merged in (<<)"}
		}
		for pair := range slices.Chunk(m.Content, 2) {
			if !have[pair[0].Value] {
				have[pair[0].Value] = true
				out.Content = append(out.Content, pair...)
			}
		}
	}
	return nil
}
