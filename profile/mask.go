package profile

import (
	"cmp"
	"net/url"
	"strings"

	"gopkg.in/yaml.v3"

	"heretic/profile/internal/expand"
)

// MaskText shows the references of a value as they are written, the word of an
// authorization scheme in front, and the host of a URL; anything else may be a
// secret.
func MaskText(s string) string {
	if scheme, rest, ok := strings.Cut(s, " "); ok {
		switch strings.ToLower(scheme) {
		case "bearer", "basic", "token":
			if _, sole := expand.Sole(rest); sole {
				return scheme + " " + expand.Mask(rest, Mask)
			}
		}
	}
	if u, err := url.Parse(s); err == nil && u.Host != "" && u.Scheme != "" {
		_, rest, _ := strings.Cut(s, u.Host)
		if u.User == nil && strings.Trim(rest, "/") == "" {
			return u.Scheme + "://" + u.Host
		}
		return u.Scheme + "://" + u.Host + "/" + expand.Mask(cmp.Or(strings.TrimPrefix(rest, "/"), Mask), Mask)
	}
	return expand.Mask(s, Mask)
}

// MaskSecret shows where a secret comes from: a script or a variable, but not
// a literal.
func MaskSecret(n *yaml.Node) string {
	src := readSecret(n)
	if name, ok := strings.CutPrefix(src.text, "$"); isScript(src.text) || ok && isVarName(name) {
		return src.text
	}
	return MaskText(src.text)
}

// Masked returns a copy of a value, as it is written, that shows no literal
// which may be a secret. path is the value's own: "env.NAME", "mcp", "image".
func Masked(path string, n *yaml.Node) *yaml.Node {
	key, _, _ := strings.Cut(path, ".")
	switch {
	case key == "secrets":
		return maskSource(n)
	case key == "env", path == "git.token", key == "github":
		return maskScalars(n)
	case key == "mcp":
		return maskServers(n)
	}
	return copyNode(n)
}

func copyNode(n *yaml.Node) *yaml.Node {
	c := *n
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, item := range n.Content {
		c.Content[i] = copyNode(item)
	}
	return &c
}

// maskScalars masks every scalar but keys.
func maskScalars(n *yaml.Node) *yaml.Node {
	c := *n
	if n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null" {
		if c.Value = MaskText(n.Value); c.Value == Mask {
			c.Tag, c.Style = "!!str", 0
		}
	}
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, item := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			c.Content[i] = copyNode(item)
		} else {
			c.Content[i] = maskScalars(item)
		}
	}
	return &c
}

// maskSource masks the source of a secret.
func maskSource(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.ScalarNode {
		c := *n
		c.Value = MaskSecret(n)
		return &c
	}
	c := copyNode(n)
	if source := child(c, "source"); source != nil {
		source.Value = MaskSecret(source)
	}
	return c
}

// maskServers masks env, headers and what else holds credentials in entries of
// servers, in any dialect: of an entry's maps only keys are shown.
func maskServers(n *yaml.Node) *yaml.Node {
	c := copyNode(n)
	for i, item := range c.Content {
		if item.Kind != yaml.MappingNode {
			continue
		}
		for j := 0; j+1 < len(item.Content); j += 2 {
			v := item.Content[j+1]
			if v.Kind == yaml.MappingNode || v.Kind == yaml.SequenceNode && item.Content[j].Value != "args" && item.Content[j].Value != "command" {
				item.Content[j+1] = maskScalars(v)
			}
		}
		c.Content[i] = item
	}
	return c
}
