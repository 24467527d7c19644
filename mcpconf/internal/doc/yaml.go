package doc

import "gopkg.in/yaml.v3"

// Resolve copies a YAML tree without its aliases and merge keys, within the
// bounds of a document.
func Resolve(n *yaml.Node) (*yaml.Node, error) {
	if n == nil || n.Kind == 0 {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: TagNull}, nil
	}
	if n.Kind == yaml.DocumentNode {
		n = n.Content[0]
	}
	return (&budget{}).resolve(n, 0)
}

func (b *budget) resolve(n *yaml.Node, depth int) (*yaml.Node, error) {
	if err := b.spend(n, depth); err != nil {
		return nil, err
	}
	if n.Kind == yaml.AliasNode {
		return b.resolve(n.Alias, depth+1)
	}
	out := &yaml.Node{Kind: n.Kind, Tag: n.ShortTag(), Value: n.Value, Line: n.Line, Column: n.Column}
	for i, c := range n.Content {
		key := n.Kind == yaml.MappingNode && i%2 == 0
		if key && c.ShortTag() == "!!merge" {
			return nil, &SyntaxError{c.Line, c.Column, "merge keys (<<) are not read here"}
		}
		r, err := b.resolve(c, depth+1)
		if err != nil {
			return nil, err
		}
		if key && r.Kind != yaml.ScalarNode {
			return nil, &SyntaxError{c.Line, c.Column, "a key must be a plain value"}
		}
		out.Content = append(out.Content, r)
	}
	return out, nil
}
