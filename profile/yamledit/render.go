package yamledit

import (
	"bytes"
	"strings"

	"gopkg.in/yaml.v3"
)

// block renders a node in block style, without the final line break; every
// line after the first is indented.
func block(n *yaml.Node, indent int) (string, error) {
	text, err := encode(n)
	if err != nil {
		return "", err
	}
	lines := strings.Split(text, "\n")
	for i := 1; i < len(lines); i++ {
		if lines[i] != "" {
			lines[i] = strings.Repeat(" ", indent) + lines[i]
		}
	}
	return strings.Join(lines, "\n"), nil
}

// entry renders `key: value` in block style.
func entry(key string, value *yaml.Node, indent int) (string, error) {
	return block(nest(Path{key}, value), indent)
}

// inline renders a node on one line.
func inline(n *yaml.Node) (string, error) { return encode(flowed(n)) }

// flowed copies a tree in flow style.
func flowed(n *yaml.Node) *yaml.Node {
	c := *n
	if n.Kind == yaml.ScalarNode {
		c.Style &^= yaml.LiteralStyle | yaml.FoldedStyle
		if strings.Contains(c.Value, "\n") {
			c.Style = yaml.DoubleQuotedStyle
		}
	} else {
		c.Style |= yaml.FlowStyle
	}
	c.HeadComment, c.LineComment, c.FootComment = "", "", ""
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, item := range n.Content {
		c.Content[i] = flowed(item)
	}
	return &c
}

func encode(n *yaml.Node) (string, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(n); err != nil {
		return "", err
	}
	if err := enc.Close(); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// isBlock tells whether a node is written over several lines when it has the
// choice.
func isBlock(n *yaml.Node) bool {
	return n.Kind != yaml.ScalarNode && n.Kind != yaml.AliasNode && len(n.Content) > 0 && n.Style&yaml.FlowStyle == 0
}

// styled gives a new scalar the quotes of the one it replaces.
func styled(value, old *yaml.Node) *yaml.Node {
	if value.Kind != yaml.ScalarNode || old.Kind != yaml.ScalarNode || value.Style != 0 || value.ShortTag() != "!!str" {
		return value
	}
	quotes := old.Style & (yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle)
	if quotes == 0 || strings.ContainsAny(value.Value, "\n\r\t\\") {
		return value
	}
	c := *value
	c.Style = quotes
	return &c
}
