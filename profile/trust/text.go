package trust

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"heretic/mcpconf"
	"heretic/profile"
	"heretic/profile/internal/expand"
)

// hostRefs are the variables in a tree that are neither places nor names that
// every machine has: those of the host, and secrets.
func hostRefs(n *yaml.Node) []string {
	var names []string
	if n.Kind == yaml.ScalarNode {
		names = hostRefsOf(n.Value)
	}
	for _, c := range n.Content {
		names = append(names, hostRefs(c)...)
	}
	return names
}

func hostRefsOf(text string) []string {
	refs, _ := expand.Refs(text)
	var names []string
	for _, r := range refs {
		if !slices.Contains(profile.Places(), r.Name) && !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
	}
	return names
}

func serverRefs(s mcpconf.Server) []string {
	var names []string
	s.Map(func(_, value string, _ mcpconf.Pos) (string, error) {
		for _, n := range hostRefsOf(value) {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
		return value, nil
	})
	return names
}

// canonical is the value of a tree without comments, quoting and places.
func canonical(n *yaml.Node) string {
	switch n.Kind {
	case yaml.ScalarNode:
		return n.ShortTag() + " " + n.Value
	case yaml.SequenceNode:
		parts := make([]string, len(n.Content))
		for i, c := range n.Content {
			parts[i] = quoted(canonical(c))
		}
		return "[" + strings.Join(parts, ",") + "]"
	default:
		var parts []string
		for i := 0; i+1 < len(n.Content); i += 2 {
			parts = append(parts, quoted(n.Content[i].Value)+":"+quoted(canonical(n.Content[i+1])))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ",") + "}"
	}
}

func quoted(s string) string { return fmt.Sprintf("%q", s) }

func value(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return n
}
