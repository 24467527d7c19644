package doc

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"
)

// Str makes a string. It, Num, Bool, List and Map make the nodes of a tree to
// write.
func Str(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: TagString, Value: s}
	if strings.ContainsFunc(s, unicode.IsControl) {
		n.Style = yaml.DoubleQuotedStyle // the encoder's block style loses line breaks
	}
	return n
}

// Num makes a number from its decimal text.
func Num(s string) *yaml.Node {
	tag := TagInt
	if strings.Contains(s, ".") {
		tag = TagFloat
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: s}
}

// Bool makes a boolean.
func Bool(b bool) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: TagBool, Value: strconv.FormatBool(b)}
}

// List makes a list.
func List(items ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: items}
}

// Map makes a mapping without members; [Set] adds them.
func Map() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"} }

// Set appends a member to a mapping.
func Set(m *yaml.Node, key string, v *yaml.Node) { m.Content = append(m.Content, Str(key), v) }

// AppendJSON appends a tree as JSON, without HTML escaping. Members stand on
// lines of their own, behind a line break, prefix and indent for each level;
// an empty indent writes everything on one line.
func AppendJSON(b []byte, n *yaml.Node, prefix, indent string) []byte {
	open, closing, step := byte('{'), byte('}'), 2
	switch n.Kind {
	case yaml.MappingNode:
	case yaml.SequenceNode:
		open, closing, step = '[', ']', 1
	default:
		return appendScalar(b, n)
	}
	b = append(b, open)
	inner := prefix + indent
	for i := 0; i+step <= len(n.Content); i += step {
		if i > 0 {
			b = append(b, ',')
		}
		b = breakLine(b, inner, indent)
		if step == 2 {
			b = appendString(b, n.Content[i].Value)
			b = append(b, ':')
			if indent != "" {
				b = append(b, ' ')
			}
		}
		b = AppendJSON(b, n.Content[i+step-1], inner, indent)
	}
	if len(n.Content) > 0 {
		b = breakLine(b, prefix, indent)
	}
	return append(b, closing)
}

func breakLine(b []byte, prefix, indent string) []byte {
	if indent == "" {
		return b
	}
	return append(append(b, '\n'), prefix...)
}

func appendScalar(b []byte, n *yaml.Node) []byte {
	switch n.Tag {
	case TagNull:
		return append(b, "null"...)
	case TagInt, TagFloat, TagBool:
		return append(b, n.Value...)
	default:
		return appendString(b, n.Value)
	}
}

func appendString(b []byte, s string) []byte {
	if isPlain(s) {
		return append(append(append(b, '"'), s...), '"')
	}
	w := bytes.NewBuffer(b)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic("mcpconf: a string cannot be encoded: " + err.Error())
	}
	return bytes.TrimSuffix(w.Bytes(), []byte("\n"))
}

// isPlain tells that a string needs no escape.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e || s[i] == '"' || s[i] == '\\' {
			return false
		}
	}
	return true
}

// RawJSON makes a node of a value that is JSON already. Only a JSON writer
// keeps it as it is.
func RawJSON(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: TagInt, Value: s}
}

// JSONText is a string as it stands between the quotes of JSON.
func JSONText(s string) string {
	quoted := appendString(nil, s)
	return string(quoted[1 : len(quoted)-1])
}

// JSONFile writes a tree as JSON with two-space indent and a final newline.
func JSONFile(n *yaml.Node) []byte {
	return append(AppendJSON(nil, n, "", "  "), '\n')
}

// Wrap makes a mapping of one member.
func Wrap(key string, v *yaml.Node) *yaml.Node {
	m := Map()
	m.Line, m.Column = v.Line, v.Column
	Set(m, key, v)
	return m
}

// Strings makes a list of strings.
func Strings(list []string) *yaml.Node {
	n := List()
	for _, s := range list {
		n.Content = append(n.Content, Str(s))
	}
	return n
}

// YAMLFile writes a tree as YAML with two-space indent.
func YAMLFile(n *yaml.Node) []byte {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(n); err != nil {
		panic("mcpconf: a tree cannot be encoded: " + err.Error())
	}
	return b.Bytes()
}
