package profile

import (
	"cmp"
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
// file:line:col and the path of the key.
func Validate(file string, data []byte, local bool) error {
	root, err := parse(file, data)
	if n := child(root, "extends"); err == nil && n != nil && !local && n.Value+".yaml" == filepath.Base(file) {
		return &schema.Error{Pos: schema.At(file, n), Path: "extends", Msg: "a profile cannot extend itself"}
	}
	return err
}

// parse reads and validates a file; the root is nil for an empty layer.
func parse(file string, data []byte) (*yaml.Node, error) {
	root, err := schema.Parse(file, data)
	if err != nil || root == nil {
		return nil, err
	}
	c := checker{file: file, errs: schema.Profile().Check(file, root)}
	c.forms(root, "")
	c.known(root)
	c.volumes(child(root, "volumes"))
	slices.SortStableFunc(c.errs, func(a, b *schema.Error) int { return cmp.Compare(a.Pos.Line, b.Pos.Line) })
	err = schema.Join(c.errs)
	if mcp := child(root, "mcp"); mcp != nil && (mcp.Kind == yaml.SequenceNode || mcp.Kind == yaml.MappingNode) {
		err = joined(err, c.servers(mcp))
	}
	if err != nil {
		return nil, err
	}
	return root, nil
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
	file string
	errs []*schema.Error
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

func (c *checker) volumes(n *yaml.Node) {
	if n == nil || n.Kind != yaml.SequenceNode {
		return
	}
	for i, item := range n.Content {
		if item.Kind != yaml.ScalarNode {
			continue
		}
		if _, sole := expand.Sole(item.Value); sole {
			continue
		}
		_, _, access, err := splitVolume(item.Value)
		if err == nil && !strings.Contains(access, "${") {
			_, err = readOnly(access)
		}
		if err != nil {
			c.fail(item, fmt.Sprintf("volumes[%d]", i), err)
		}
	}
}

// servers checks the entries of mcp, and the variables in them.
func (c *checker) servers(n *yaml.Node) error {
	set, err := mcpconf.ParseNode(c.file, n)
	if err != nil {
		return err
	}
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
