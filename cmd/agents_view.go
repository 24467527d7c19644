package cmd

import (
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"heretic/mcpconf"
	"heretic/profile"
	"heretic/profile/schema"
)

// profileView is a profile as it is shown: YAML without the secrets, and where
// each value came from by its path.
type profileView struct {
	root    *yaml.Node
	origins map[string]profile.Origin
}

func newProfileView() *profileView {
	return &profileView{root: &yaml.Node{Kind: yaml.MappingNode}, origins: map[string]profile.Origin{}}
}

// viewMerged shows a profile before its variables have values.
func viewMerged(m *profile.Merged, reveal bool) *profileView {
	view := newProfileView()
	for _, v := range m.Values() {
		node := v.Node
		if !reveal {
			node = profile.Masked(v.Path, node)
		}
		view.set(v.Path, plainCopy(node))
		view.origins[v.Path] = v.Origin()
	}
	return view
}

// viewResolved shows a profile with all its values.
func viewResolved(r *profile.Resolved, reveal bool) (*profileView, error) {
	view, p := newProfileView(), r.Profile
	for _, k := range r.Origins {
		view.origins[k.Path] = k.Origin
	}
	for _, f := range []struct{ key, value string }{
		{"description", p.Description}, {"image", p.Image}, {"runner", p.Runner},
		{"agent_type", p.AgentType}, {"provider", p.Provider}, {"workdir", p.Workdir},
	} {
		if f.value != "" {
			view.set(f.key, text(f.value))
		}
	}
	view.setWords("entrypoint", p.Entrypoint)
	view.setWords("command", p.Command)
	delete(view.origins, "volumes") // each has its own
	for i, v := range p.Volumes {
		view.append("volumes", text(v.String()))
		view.origins["volumes["+strconv.Itoa(i)+"]"] = v.Origin
	}
	for _, e := range p.Env {
		value := e.Value
		if e.Secret && !reveal && value != "" {
			value = profile.Mask
		}
		view.set("env."+e.Name, text(value))
		if _, known := view.origins["env."+e.Name]; !known {
			view.origins["env."+e.Name] = e.Origin
		}
	}
	view.set("interactive", boolean(p.Interactive))
	view.set("tty", boolean(p.TTY))
	for _, k := range r.Origins {
		if strings.HasPrefix(k.Path, "extra.") && k.Value != "" || strings.HasPrefix(k.Path, "secrets.") {
			view.setExtra(k, reveal)
		}
	}
	servers, err := maskServers(p.Servers, shownValues(r, reveal), reveal)
	if err != nil {
		return nil, err
	}
	if len(servers) > 0 {
		view.set("mcp", mcpconf.NodeOf(servers))
	}
	view.set("mcp_override", boolean(p.MCPOverride))
	if !reveal {
		maskText(view.root, p)
	}
	return view, nil
}

// maskText takes secrets out of text that is not one as a whole.
func maskText(n *yaml.Node, p profile.Profile) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" {
		n.Value = p.Mask(n.Value)
	}
	for i, c := range n.Content {
		if n.Kind != yaml.MappingNode || i%2 == 1 {
			maskText(c, p)
		}
	}
}

// setExtra sets one value that is shown by its path.
func (v *profileView) setExtra(k profile.KeyOrigin, reveal bool) {
	value := &yaml.Node{Kind: yaml.ScalarNode, Value: k.Shown(reveal)}
	row, _ := schema.Profile().Lookup(k.Path)
	if name, ok := strings.CutPrefix(k.Path, "extra.labels."); ok {
		labels := entry(entry(v.root, "extra", yaml.MappingNode), "labels", yaml.MappingNode)
		labels.Content = append(labels.Content, text(name), value)
		return
	}
	if row.Type == schema.OneOrList {
		value = &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for item := range strings.SplitSeq(k.Shown(reveal), ", ") {
			value.Content = append(value.Content, text(item))
		}
	}
	v.set(k.Path, value)
}

// shownValues are the values as they may be shown, by their path.
func shownValues(r *profile.Resolved, reveal bool) map[string]string {
	shown := map[string]string{}
	for _, k := range r.Origins {
		shown[k.Path] = k.Shown(reveal)
	}
	return shown
}

// maskServers replaces the values that may hold secrets.
func maskServers(servers []mcpconf.Server, shown map[string]string, reveal bool) ([]mcpconf.Server, error) {
	if reveal {
		return servers, nil
	}
	masked := make([]mcpconf.Server, len(servers))
	for i, s := range servers {
		var err error
		masked[i], err = s.Map(func(field, value string, _ mcpconf.Pos) (string, error) {
			if safe, known := shown["mcp."+s.Name+"."+field]; known {
				return safe, nil
			}
			return profile.Mask, nil // nothing says that it is harmless
		})
		if err != nil {
			return nil, err
		}
	}
	return masked, nil
}

// set sets the value of a path: a key, or a key of a map (env.NAME).
func (v *profileView) set(path string, value *yaml.Node) {
	key, rest, nested := strings.Cut(path, ".")
	target := v.root
	if nested {
		target = entry(v.root, key, yaml.MappingNode)
		key = rest
	}
	if path == "volumes" && has(v.root, key) { // of the command line
		v.append(key, value)
		return
	}
	target.Content = append(target.Content, text(key), value)
}

func (v *profileView) append(key string, item *yaml.Node) {
	list := entry(v.root, key, yaml.SequenceNode)
	list.Content = append(list.Content, item)
}

func (v *profileView) setWords(key string, words []string) {
	if words == nil {
		return
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, w := range words {
		list.Content = append(list.Content, text(w))
	}
	v.set(key, list)
}

// annotate writes the origin of each value behind it, as a comment.
func (v *profileView) annotate() {
	v.comment(v.root, "")
}

func (v *profileView) comment(n *yaml.Node, path string) {
	origin, known := v.origins[path]
	switch {
	case known && (n.Kind == yaml.ScalarNode || n.Style&yaml.FlowStyle != 0 || len(n.Content) == 0):
		n.LineComment = "# " + origin.String()
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			sub := strings.TrimPrefix(path+"."+key.Value, ".")
			v.comment(value, sub)
			if o, known := v.origins[sub]; known && value.LineComment == "" {
				key.LineComment = "# " + o.String()
			}
		}
	case n.Kind == yaml.SequenceNode:
		for i, item := range n.Content {
			v.comment(item, itemPath(path, i, item))
		}
	}
}

// itemPath is the path of an element of a list: servers go by their name.
func itemPath(path string, i int, item *yaml.Node) string {
	if item.Kind == yaml.MappingNode && len(item.Content) > 1 && item.Content[0].Value == "name" {
		return path + "." + item.Content[1].Value
	}
	return path + "[" + strconv.Itoa(i) + "]"
}

// entry finds or makes the map or list under a top-level key.
func entry(root *yaml.Node, key string, kind yaml.Kind) *yaml.Node {
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == key {
			return root.Content[i+1]
		}
	}
	node := &yaml.Node{Kind: kind}
	root.Content = append(root.Content, text(key), node)
	return node
}

func has(root *yaml.Node, key string) bool {
	return slices.ContainsFunc(root.Content, func(n *yaml.Node) bool { return n.Value == key })
}

// plainCopy copies a node without its comments and places.
func plainCopy(n *yaml.Node) *yaml.Node {
	c := &yaml.Node{Kind: n.Kind, Style: n.Style, Tag: n.Tag, Value: n.Value}
	for _, child := range n.Content {
		c.Content = append(c.Content, plainCopy(child))
	}
	return c
}

func text(s string) *yaml.Node {
	n := new(yaml.Node)
	n.SetString(s)
	return n
}

func boolean(b bool) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(b)}
}
