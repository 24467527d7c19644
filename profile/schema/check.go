package schema

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// Check holds a tree that [Parse] returned against the table: unknown keys,
// wrong types, values that are none of those allowed. Entries of `mcp` and the
// text of volumes are not looked into.
func (t Table) Check(file string, root *yaml.Node) []*Error {
	c := checker{file: file, table: t}
	if root != nil {
		c.object(root, "")
	}
	return c.errs
}

type checker struct {
	file  string
	table Table
	errs  []*Error
}

func (c *checker) fail(n *yaml.Node, path, fix, format string, args ...any) {
	c.errs = append(c.errs, &Error{Pos: At(c.file, n), Path: path, Msg: fmt.Sprintf(format, args...), Fix: fix})
}

func (c *checker) expected(n *yaml.Node, path, what string) {
	c.fail(n, path, "", "expected %s, found %s", what, Describe(n))
}

func (c *checker) object(n *yaml.Node, path string) {
	rows := Table(c.table.Below(path))
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		sub := Child(path, k.Value)
		row, ok := rows.Lookup(sub)
		if !ok {
			near := c.table.Nearest(path, k.Value)
			msg, fix := "unknown key", ""
			if near != "" {
				msg += "; the nearest known one is " + quote(near)
			} else {
				fix = "see: heretic schema"
			}
			c.fail(k, sub, fix, "%s", msg)
			continue
		}
		c.value(row, v)
	}
}

func (c *checker) value(row Key, n *yaml.Node) {
	path := row.Path
	switch row.Type {
	case String:
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" {
			c.expected(n, path, "a string")
		} else {
			c.among(row, n)
		}
	case Scalar:
		c.scalar(n, path, "a string or number")
	case Bool:
		c.boolean(n, path)
	case Size:
		if c.scalar(n, path, "a size") && !hasRef(n.Value) && !IsSize(n.Value) {
			c.fail(n, path, "write bytes, or a number with a unit: 512m, 4g", "%s is not a size", quote(n.Value))
		}
	case Count:
		if c.scalar(n, path, "a number") && !hasRef(n.Value) && !IsCount(n.Value) {
			c.fail(n, path, "", "%s is not a number above zero", quote(n.Value))
		}
	case Words:
		if n.Kind == yaml.SequenceNode {
			c.list(n, path)
		} else if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" {
			c.expected(n, path, "a string or a list")
		}
	case OneOrList:
		if n.Kind == yaml.SequenceNode {
			c.list(n, path)
		} else {
			c.scalar(n, path, "a string or a list")
		}
	case List:
		c.list(n, path)
	case Map, Env:
		c.strings(n, path, row.Type == Env)
	case Secrets:
		c.secrets(n, path)
	case Volumes:
		c.volumes(n, path)
	case Servers:
		if n.Kind != yaml.SequenceNode && n.Kind != yaml.MappingNode {
			c.fail(n, path, "write [] for no servers", "expected a list of servers, found %s", Describe(n))
		}
	case Object:
		if n.Kind == yaml.MappingNode {
			c.object(n, path)
		} else if !null(n) {
			c.expected(n, path, "a map")
		}
	}
}

func null(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// hasRef tells that a value is known only after interpolation.
func hasRef(s string) bool { return strings.Contains(s, "${") }

func (c *checker) among(row Key, n *yaml.Node) {
	if row.Values == nil || hasRef(n.Value) {
		return
	}
	for _, v := range row.Values {
		if v == n.Value {
			return
		}
	}
	c.fail(n, row.Path, "", "unknown %s %s; known: %s", row.Name(), quote(n.Value), strings.Join(row.Values, ", "))
}

func (c *checker) scalar(n *yaml.Node, path, what string) bool {
	if n.Kind == yaml.ScalarNode && !null(n) {
		return true
	}
	c.expected(n, path, what)
	return false
}

// boolean also lets a reference pass, which interpolation makes true or false.
func (c *checker) boolean(n *yaml.Node, path string) {
	if n.Kind == yaml.ScalarNode && (n.ShortTag() == "!!bool" || n.ShortTag() == "!!str" && hasRef(n.Value)) {
		return
	}
	c.expected(n, path, "true or false")
}

func (c *checker) list(n *yaml.Node, path string) {
	if null(n) {
		return
	}
	if n.Kind != yaml.SequenceNode {
		c.expected(n, path, "a list")
		return
	}
	for i, item := range n.Content {
		c.scalar(item, fmt.Sprintf("%s[%d]", path, i), "a string")
	}
}

func (c *checker) strings(n *yaml.Node, path string, nulls bool) {
	if null(n) {
		return
	}
	if n.Kind != yaml.MappingNode {
		fix := ""
		if n.Kind == yaml.SequenceNode {
			fix = "write NAME: value, not - NAME=value"
		}
		c.fail(n, path, fix, "expected a map, found %s", Describe(n))
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		sub := Child(path, k.Value)
		if k.Value == "" || strings.ContainsAny(k.Value, "=\x00") {
			c.fail(k, sub, "", "%s is not a name", quote(k.Value))
		}
		if !nulls || !null(v) {
			c.scalar(v, sub, "a string")
		}
	}
}

func (c *checker) secrets(n *yaml.Node, path string) {
	if null(n) {
		return
	}
	if n.Kind != yaml.MappingNode {
		c.expected(n, path, "a map")
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		sub := Child(path, k.Value)
		if !IsName(k.Value) {
			c.fail(k, sub, "", "%s is not a name for ${...}: letters, digits and _, not a digit first", quote(k.Value))
		}
		if v.Kind != yaml.MappingNode {
			c.scalar(v, sub, "a string or {source, as}")
			continue
		}
		c.fields(v, sub, map[string]func(*yaml.Node, string){
			"source": func(n *yaml.Node, p string) { c.scalar(n, p, "a string") },
			"as": func(n *yaml.Node, p string) {
				if c.scalar(n, p, "file or env") && n.Value != "file" && n.Value != "env" {
					c.fail(n, p, "", "expected file or env, found %s", quote(n.Value))
				}
			},
		}, "source")
	}
}

func (c *checker) volumes(n *yaml.Node, path string) {
	if null(n) {
		return
	}
	if n.Kind != yaml.SequenceNode {
		c.expected(n, path, "a list")
		return
	}
	text := func(n *yaml.Node, p string) { c.scalar(n, p, "a string") }
	for i, item := range n.Content {
		sub := fmt.Sprintf("%s[%d]", path, i)
		if item.Kind != yaml.MappingNode {
			c.scalar(item, sub, "source:target or {source, target, readonly}")
			continue
		}
		c.fields(item, sub, map[string]func(*yaml.Node, string){
			"source": text, "target": text, "readonly": c.boolean,
		}, "source", "target")
	}
}

// fields checks a small map with known fields.
func (c *checker) fields(n *yaml.Node, path string, known map[string]func(*yaml.Node, string), required ...string) {
	have := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		have[k.Value] = true
		if check, ok := known[k.Value]; ok {
			check(v, Child(path, k.Value))
			continue
		}
		names := make([]string, 0, len(known))
		for name := range known {
			names = append(names, name)
		}
		msg := "unknown key"
		if near := Near(k.Value, names); len(near) > 0 {
			msg += "; the nearest known one is " + quote(near[0])
		}
		c.fail(k, Child(path, k.Value), "", "%s", msg)
	}
	for _, name := range required {
		if !have[name] {
			c.fail(n, path, "", "missing key %s", quote(name))
		}
	}
}

// IsName tells whether s can stand in ${...}: letters, digits and underscores,
// and no digit first.
func IsName(s string) bool {
	for i, r := range s {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// IsCount tells whether s is a decimal number above zero.
func IsCount(s string) bool {
	_, err := Decimal(s)
	return err == nil
}

// IsSize tells whether s is a size in bytes, or with a unit.
func IsSize(s string) bool {
	_, err := Bytes(s)
	return err == nil
}
