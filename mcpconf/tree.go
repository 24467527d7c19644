package mcpconf

import (
	"iter"
	"strings"

	"gopkg.in/yaml.v3"

	"heretic/mcpconf/internal/doc"
)

// pairs yields the keys and values of a mapping; nothing for other kinds.
func pairs(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(k, v *yaml.Node) bool) {
		if n == nil || n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

// value is what a path of keys leads to, or nil.
func value(n *yaml.Node, path ...string) *yaml.Node {
	for _, key := range path {
		var next *yaml.Node
		for k, v := range pairs(n) {
			if k.Value == key {
				next = v
				break
			}
		}
		if next == nil {
			return nil
		}
		n = next
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == doc.TagNull }

func isText(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == doc.TagString }

func isHTTP(n *yaml.Node) bool {
	if !isText(n) {
		return false
	}
	scheme, _, ok := strings.Cut(n.Value, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// kindOf names what was found, never its value: it may be a secret.
func kindOf(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "an object"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == doc.TagString:
		return "a string"
	case n.Tag == doc.TagInt, n.Tag == doc.TagFloat:
		return "a number"
	case n.Tag == doc.TagBool:
		return "true or false"
	case n.Tag == doc.TagNull:
		return "null"
	default:
		return "a value of another type"
	}
}
