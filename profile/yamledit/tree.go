package yamledit

import (
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"
)

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// index returns where the value of an element of a path is in the content of
// its parent, -1 when it is not there.
func index(n *yaml.Node, element any) int {
	switch e := element.(type) {
	case string:
		if n.Kind == yaml.MappingNode {
			for i := 0; i+1 < len(n.Content); i += 2 {
				if n.Content[i].Value == e {
					return i + 1
				}
			}
		}
	case int:
		if n.Kind == yaml.SequenceNode && e >= 0 && e < len(n.Content) {
			return e
		}
	}
	return -1
}

func findNode(root *yaml.Node, path Path) (n, key *yaml.Node, ok bool) {
	n = root
	for _, e := range path {
		i := index(n, e)
		if i < 0 {
			return nil, nil, false
		}
		key = nil
		if n.Kind == yaml.MappingNode {
			key = n.Content[i-1]
		}
		n = n.Content[i]
	}
	return n, key, true
}

// nest returns the value at path below the first n elements that are there.
func nest(rest Path, value *yaml.Node) *yaml.Node {
	for i := len(rest) - 1; i >= 0; i-- {
		switch e := rest[i].(type) {
		case string:
			value = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{String(e), value}}
		default:
			value = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: []*yaml.Node{value}}
		}
	}
	return value
}

// setNode makes the change that Set makes to the text.
func setNode(root *yaml.Node, path Path, value *yaml.Node) error {
	n := root
	for i, e := range path {
		at := index(n, e)
		if at >= 0 {
			if i == len(path)-1 {
				n.Content[at] = value
				return nil
			}
			n = n.Content[at]
			continue
		}
		return addNode(n, e, nest(path[i+1:], value))
	}
	return fmt.Errorf("the path is empty: %w", ErrRefused)
}

// addNode adds an entry to a map or list, or makes one out of an empty value.
func addNode(n *yaml.Node, element, value any) error {
	v := value.(*yaml.Node)
	switch e := element.(type) {
	case string:
		if isNull(n) {
			*n = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		}
		if n.Kind == yaml.MappingNode {
			n.Content = append(n.Content, String(e), v)
			return nil
		}
	case int:
		if isNull(n) && e == 0 {
			*n = yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		}
		if n.Kind == yaml.SequenceNode && e == len(n.Content) {
			n.Content = append(n.Content, v)
			return nil
		}
	}
	return fmt.Errorf("nothing can be added there: %w", ErrRefused)
}

// removeNode makes the change that Remove makes to the text.
func removeNode(root *yaml.Node, path Path) error {
	parent, _, _ := findNode(root, path[:len(path)-1])
	i := index(parent, path[len(path)-1])
	if parent.Kind == yaml.MappingNode {
		parent.Content = slices.Delete(parent.Content, i-1, i+1)
	} else {
		parent.Content = slices.Delete(parent.Content, i, i+1)
	}
	return nil
}

// uniqueKeys refuses a map that has a key twice: which of the two an edit is
// about cannot be told.
func uniqueKeys(n *yaml.Node) error {
	if n.Kind == yaml.MappingNode {
		seen := map[string]bool{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if key.Kind != yaml.ScalarNode {
				continue
			}
			if seen[key.Value] {
				return fmt.Errorf("line %d: the key %q is there twice: %w", key.Line, key.Value, ErrRefused)
			}
			seen[key.Value] = true
		}
	}
	for _, child := range n.Content {
		if err := uniqueKeys(child); err != nil {
			return err
		}
	}
	return nil
}

// same compares two trees but for style, comments and places.
func same(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || len(a.Content) != len(b.Content) {
		return false
	}
	if a.Kind == yaml.ScalarNode && (a.ShortTag() != b.ShortTag() || a.Value != b.Value) {
		return false
	}
	if a.Kind == yaml.AliasNode && a.Value != b.Value {
		return false
	}
	for i := range a.Content {
		if !same(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}
