package profile

import (
	"bytes"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"heretic/mcpconf"
)

// Change is one value that a project's override changes. What may be a secret
// is masked.
type Change struct {
	Path string
	Was  string // below the override; "" when nothing set it
	Is   string
	From Origin // of Was
	By   Origin // of Is
}

// Changes returns what the project's override changes against the profile it
// stands on, in the order of the merged values. Servers are compared by name.
func (m *Merged) Changes() ([]Change, error) {
	under := m.below()
	if err := under.readServers(); err != nil {
		return nil, err
	}
	var changes []Change
	servers := false
	for _, v := range m.values {
		if !v.Layer.Project {
			continue
		}
		if v.Path == "mcp" || v.Path == "mcp_file" {
			servers = true
			continue
		}
		c := Change{Path: v.Path, Is: shown(v), By: v.Origin()}
		if was, ok := under.Get(v.Path); ok {
			if same(was.Node, v.Node) {
				continue
			}
			c.Was, c.From = shown(was), was.Origin()
		}
		changes = append(changes, c)
	}
	if servers {
		changes = append(changes, serverChanges(under.Servers, m.Servers)...)
	}
	return changes, nil
}

// serverChanges says which servers go, come and change.
func serverChanges(old, now []mcpconf.Server) []Change {
	d := mcpconf.Diff(old, now)
	var changes []Change
	for _, list := range []struct {
		names   []string
		was, is string
	}{{d.Removed, "server", ""}, {d.Added, "", "server"}, {d.Replaced, "server", "another server"}} {
		for _, name := range list.names {
			c := Change{Path: "mcp." + name, Was: list.was, Is: list.is}
			c.From, c.By = serverOrigin(old, name), serverOrigin(now, name)
			changes = append(changes, c)
		}
	}
	return changes
}

func serverOrigin(servers []mcpconf.Server, name string) Origin {
	i := slices.IndexFunc(servers, func(s mcpconf.Server) bool { return s.Name == name })
	if i < 0 {
		return Origin{}
	}
	return Origin{Pos: servers[i].Pos}
}

// shown is a value on one line, masked.
func shown(v Value) string {
	n := Masked(v.Path, v.Node)
	if n.Kind == yaml.ScalarNode {
		return n.Value
	}
	flow(n)
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	if err := enc.Encode(n); err != nil {
		return Mask
	}
	return strings.TrimSpace(b.String())
}

// flow makes a tree one line without comments.
func flow(n *yaml.Node) {
	n.Style |= yaml.FlowStyle
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	for _, c := range n.Content {
		flow(c)
	}
}

// same compares two values but for their style.
func same(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.Value == b.Value && a.ShortTag() == b.ShortTag() &&
		slices.EqualFunc(a.Content, b.Content, same)
}
