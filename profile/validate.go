package profile

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"heretic/mcpconf"
	"heretic/mcpconf/target"
	"heretic/profile/internal/expand"
	"heretic/profile/schema"
)

// Validate checks the text of one profile file: strict YAML, known keys, types
// and values, the form of volumes, servers and variables. local tells that the
// file is a project's override. All errors come together, each with
// file:line:col and the path of the key. The notes are about servers.
func (l Loader) Validate(file string, data []byte, local bool) ([]mcpconf.Note, error) {
	root, notes, err := l.parse(file, data)
	if n := child(root, "extends"); err == nil && n != nil && !local && n.Value+".yaml" == filepath.Base(file) {
		return notes, &schema.Error{Pos: schema.At(file, n), Path: "extends", Msg: "a profile cannot extend itself"}
	}
	return notes, err
}

// parse reads and validates a file; the root is nil for an empty layer.
func (l Loader) parse(file string, data []byte) (*yaml.Node, []mcpconf.Note, error) {
	root, err := schema.Parse(file, data)
	if root == nil || l.unchecked {
		return root, nil, err
	}
	c := checker{file: file, rules: rules{l.CheckValue}}
	c.errs = append(schema.Errors(err), schema.Profile().Check(file, root)...)
	c.forms(root, "")
	c.known(root)
	c.volumes(child(root, "volumes"))
	c.words(root)
	c.values(root, "")
	c.secrets(child(root, "secrets"))
	err = schema.Join(c.errs)
	if mcp := child(root, "mcp"); mcp != nil && (mcp.Kind == yaml.SequenceNode || mcp.Kind == yaml.MappingNode) {
		err = joined(err, c.servers(mcp))
	}
	if err != nil {
		return nil, c.notes, err
	}
	return root, c.notes, nil
}

// joined is errors.Join that leaves a single error as it is.
func joined(a, b error) error {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return errors.Join(a, b)
}

type checker struct {
	file  string
	rules rules
	errs  []*schema.Error
	notes []mcpconf.Note
}

func (c *checker) fail(n *yaml.Node, path string, err error) {
	c.errs = append(c.errs, &schema.Error{Pos: schema.At(c.file, n), Path: path, Msg: err.Error(), Fix: hintOf(err)})
}

// forms checks the ${...} of every string, but those of servers, where other
// clients' forms are translated first.
func (c *checker) forms(n *yaml.Node, path string) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if sub := schema.Child(path, n.Content[i].Value); sub != "mcp" {
				c.forms(n.Content[i+1], sub)
			}
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			c.forms(item, fmt.Sprintf("%s[%d]", path, i))
		}
	case yaml.ScalarNode:
		if _, err := expand.Refs(n.Value); err != nil {
			c.fail(n, path, err)
		} else if err := checkText(n.Value); err != nil {
			c.fail(n, path, err)
		}
	}
}

// values holds what is known before interpolation to the rules of its key.
func (c *checker) values(root *yaml.Node, parent string) {
	for _, row := range schema.Profile().Below(parent) {
		n := child(root, row.Name())
		switch {
		case n == nil || row.Type == schema.Words || row.Type == schema.Volumes:
		case n.Kind == yaml.MappingNode && row.Type == schema.Object:
			c.values(n, row.Path)
		case n.Kind == yaml.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				if err := checkName(row.Path, n.Content[i].Value); err != nil {
					c.fail(n.Content[i], schema.Child(row.Path, n.Content[i].Value), err)
				}
			}
		case n.Kind == yaml.SequenceNode && row.Type != schema.Servers:
			for i, item := range n.Content {
				c.value(item, row.Path, fmt.Sprintf("%s[%d]", row.Path, i))
			}
		case n.Kind == yaml.ScalarNode:
			c.value(n, row.Path, row.Path)
		}
	}
}

func (c *checker) value(n *yaml.Node, key, path string) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
		return
	}
	if refs, err := expand.Refs(n.Value); err != nil || len(refs) > 0 {
		return
	}
	if checkText(n.Value) != nil {
		return // said already
	}
	if err := c.rules.check(key, n.Value); err != nil {
		c.fail(n, path, err)
	}
}

// words checks the commands that are split as a shell would. A reference must
// be whole in one word.
func (c *checker) words(root *yaml.Node) {
	for _, row := range schema.Profile() {
		n := child(root, row.Path)
		if row.Type != schema.Words || n == nil || n.Kind != yaml.ScalarNode {
			continue
		}
		c.split(n, row.Path)
	}
}

func (c *checker) split(n *yaml.Node, path string) {
	words, err := splitWords(n.Value)
	for _, w := range words {
		if err == nil {
			_, err = expand.Refs(w)
		}
	}
	if _, refErr := expand.Refs(n.Value); err != nil && refErr == nil {
		c.fail(n, path, err)
	}
}

// secrets checks the command lines of secret scripts.
func (c *checker) secrets(n *yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		src := n.Content[i+1]
		if src.Kind == yaml.MappingNode {
			src = child(src, "source")
		}
		if src != nil && src.Kind == yaml.ScalarNode && isScript(src.Value) {
			c.split(src, schema.Child("secrets", n.Content[i].Value))
		}
	}
}

// known checks the values that are names of rows of other tables.
func (c *checker) known(root *yaml.Node) {
	n := child(root, "agent_type")
	if n == nil || n.Kind != yaml.ScalarNode || strings.Contains(n.Value, "${") || slices.Contains(target.Names(), n.Value) {
		return
	}
	c.fail(n, "agent_type", unknownType(n.Value))
}

func unknownType(name string) error {
	return fmt.Errorf("unknown agent_type %q; known: %s", name, strings.Join(target.Names(), ", "))
}

// servers checks the entries of mcp, and the variables in them.
func (c *checker) servers(n *yaml.Node) error {
	set, err := mcpconf.ParseNode(c.file, n)
	if err != nil {
		return c.eachServer(n, err)
	}
	c.notes = append(c.notes, set.Notes...)
	var errs []*schema.Error
	for _, s := range set.Servers {
		if s.Disabled {
			continue
		}
		s.Map(func(field, value string, pos mcpconf.Pos) (string, error) {
			if _, err := expand.Refs(value); err != nil {
				errs = append(errs, &schema.Error{Pos: pos, Path: "mcp." + s.Name + "." + field, Msg: err.Error(), Fix: hintOf(err)})
			}
			return value, nil
		})
	}
	return schema.Join(errs)
}

// eachServer says all that is wrong with entries: a source is given up at the
// first.
func (c *checker) eachServer(n *yaml.Node, first error) error {
	step := 1
	if n.Kind == yaml.MappingNode {
		step = 2
	}
	var errs error
	for i := 0; i+step <= len(n.Content); i += step {
		one := *n
		one.Content = n.Content[i : i+step]
		if _, err := mcpconf.ParseNode(c.file, &one); err != nil {
			errs = joined(errs, err)
		}
	}
	if errs == nil {
		return first // it takes two
	}
	return errs
}

// hintOf is the hint an error carries, if any.
func hintOf(err error) string {
	if h, ok := errors.AsType[interface {
		error
		Hint() string
	}](err); ok {
		return h.Hint()
	}
	return ""
}
