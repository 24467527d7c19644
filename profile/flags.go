package profile

import (
	"errors"
	"strings"

	"gopkg.in/yaml.v3"

	"heretic/profile/schema"
)

// Options are what the command line adds to the files: the last layer.
type Options struct {
	NoLocal    bool     // leave the project's override out
	MCP        *MCPFlag // --mcp: replaces mcp and mcp_file
	Env        []string // -e NAME=value, or NAME for the host's value
	Volumes    []string // -v, appended
	Image      string   // --image
	Command    []string // words after --: replace, or are appended when the first starts with -
	Entrypoint []string // --entrypoint
	Workdir    string   // --workdir
}

// MCPFlag is the value of --mcp, already read.
type MCPFlag struct {
	Name string // as shown in errors: the path, or "--mcp"
	Data []byte
}

// flags lays the command line over the files. Its text is literal: the shell
// has had its turn.
func (m *Merged) flags(lay *Layer) error {
	o := m.opts
	if o.MCP != nil {
		m.clearServers()
	}
	for _, e := range o.Env {
		name, value, has := strings.Cut(e, "=")
		if name == "" {
			return &hinted{errors.New("-e: the name of the variable is missing"), "-e NAME=value, or -e NAME for the host's value"}
		}
		n := text(value)
		if !has {
			n = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
		}
		m.set(Value{Path: schema.Child("env", name), Node: n, Layer: lay, Flag: "-e"})
	}
	for _, v := range o.Volumes {
		m.added = append(m.added, Value{Path: "volumes", Node: text(v), Layer: lay, Flag: "-v"})
	}
	for _, f := range []struct{ path, flag, value string }{
		{"image", "--image", o.Image}, {"workdir", "--workdir", o.Workdir},
	} {
		if f.value != "" {
			m.set(Value{Path: f.path, Node: text(f.value), Layer: lay, Flag: f.flag})
		}
	}
	if o.Entrypoint != nil {
		m.set(Value{Path: "entrypoint", Node: list(o.Entrypoint), Layer: lay, Flag: "--entrypoint"})
	}
	if len(o.Command) > 0 && !strings.HasPrefix(o.Command[0], "-") {
		m.set(Value{Path: "command", Node: list(o.Command), Layer: lay, Flag: "--"})
	}
	return nil
}

func text(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
}

func list(words []string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode}
	for _, w := range words {
		n.Content = append(n.Content, text(w))
	}
	return n
}
