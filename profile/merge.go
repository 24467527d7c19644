package profile

import (
	"errors"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"heretic/mcpconf"
	"heretic/profile/internal/expand"
	"heretic/profile/schema"
)

// Value is one value that survived merging.
type Value struct {
	Path  string // "image", "env.NAME", "extra.memory", "mcp"
	Node  *yaml.Node
	Layer *Layer
	Flag  string // "-e", when the layer is the command line
}

// Pos is the place of the value.
func (v Value) Pos() mcpconf.Pos {
	if v.Layer == nil || v.Layer.File == "" || v.Node == nil {
		return mcpconf.Pos{}
	}
	return schema.At(v.Layer.File, v.Node)
}

// Origin says where the value came from.
func (v Value) Origin() Origin {
	return Origin{Layer: v.Layer.Name, Pos: v.Pos(), Flag: v.Flag}
}

// wrap adds the place and path of the value to an error.
func (v Value) wrap(err error) error {
	return &schema.Error{Pos: v.Pos(), Path: v.Path, Msg: err.Error(), Fix: hintOf(err)}
}

// Merged is the result of laying the layers over each other, before any
// variable has a value.
type Merged struct {
	Name   string
	Layers []Layer // in the order in which they apply; the command line last

	// Servers are those of the layer that won, with their references; MCPFile
	// is the file they come from, if any.
	Servers []mcpconf.Server
	MCPFile string
	// Files are the other files that were read: env_file, claude_settings.
	Files []File

	loader Loader
	opts   Options
	values []Value
	index  map[string]int // of each path in values
	added  []Value        // volumes of the command line
	notes  []mcpconf.Note

	settings Settings
}

// Merge reads the layers of an agent, validates them and merges them by the
// rule of each key. It runs nothing. An unknown name is an
// [*UnknownAgentError].
func (l Loader) Merge(name string, o Options) (*Merged, error) {
	layers, err := l.layers(name, o.NoLocal)
	if err != nil {
		return nil, err
	}
	m := &Merged{Name: name, loader: l, opts: o, index: map[string]int{}, Layers: append(layers, Layer{Name: "flag"})}
	for i := range m.Layers {
		m.lay(&m.Layers[i])
	}
	if err := m.flags(&m.Layers[len(m.Layers)-1]); err != nil {
		return nil, err
	}
	if m.settings, err = l.Settings(); err != nil {
		return nil, err
	}
	if err := errors.Join(m.readServers(), m.readFiles()); err != nil {
		return nil, err
	}
	return m, nil
}

// lay lays one layer of YAML over what is there.
func (m *Merged) lay(lay *Layer) {
	if lay.Root == nil {
		return
	}
	table := schema.Profile()
	cleared := false
	for i := 0; i+1 < len(lay.Root.Content); i += 2 {
		key, n := lay.Root.Content[i].Value, lay.Root.Content[i+1]
		row, _ := table.Lookup(key)
		if n.ShortTag() == "!!null" {
			continue // a key whose entries are all commented out
		}
		switch row.Rule {
		case schema.ByKey:
			for j := 0; j+1 < len(n.Content); j += 2 {
				m.set(Value{Path: schema.Child(key, n.Content[j].Value), Node: n.Content[j+1], Layer: lay})
			}
		case schema.Unit:
			if !cleared {
				cleared = true
				m.clearServers()
			}
			m.set(Value{Path: key, Node: n, Layer: lay})
		case schema.Replace:
			m.set(Value{Path: key, Node: n, Layer: lay})
		}
	}
}

// set replaces the value of the path in its place, or appends it.
func (m *Merged) set(v Value) {
	if i, ok := m.index[v.Path]; ok {
		m.values[i] = v
		return
	}
	m.index[v.Path] = len(m.values)
	m.values = append(m.values, v)
}

func (m *Merged) clearServers() {
	m.values = slices.DeleteFunc(m.values, func(v Value) bool { return v.Path == "mcp" || v.Path == "mcp_file" })
	clear(m.index)
	for i, v := range m.values {
		m.index[v.Path] = i
	}
}

// Get returns the value of a path.
func (m *Merged) Get(path string) (Value, bool) {
	if i, ok := m.index[path]; ok {
		return m.values[i], true
	}
	return Value{}, false
}

// Below returns the values of a map that merges by key, in order.
func (m *Merged) Below(path string) []Value {
	var vs []Value
	for _, v := range m.values {
		if strings.HasPrefix(v.Path, path+".") {
			vs = append(vs, v)
		}
	}
	return vs
}

// Under returns the value that a path has below the project's override: what
// the override replaced. ok is false when nothing below sets it.
func (m *Merged) Under(path string) (v Value, ok bool) { return m.below().Get(path) }

// below lays only the layers below the project's override.
func (m *Merged) below() *Merged {
	below := &Merged{Name: m.Name, loader: m.loader, index: map[string]int{}}
	for i := range m.Layers {
		if m.Layers[i].Project {
			break
		}
		below.lay(&m.Layers[i])
	}
	return below
}

// Notes are what reading the files gave to say.
func (m *Merged) Notes() []mcpconf.Note { return m.notes }

// Project is the project's directory, "" when there is none.
func (m *Merged) Project() string { return m.loader.Project }

// HostPath makes the text of a path absolute. ok is false when it depends on
// more than the project and the home directory, or is no path.
func (m *Merged) HostPath(text string) (path string, ok bool) {
	text, err := expand.String(text, m.loader.place)
	if err != nil {
		return "", false
	}
	path, err = m.loader.hostPath(text)
	return path, err == nil
}

// Values returns everything that survived merging; the volumes of the command
// line are entries of their own, after the others.
func (m *Merged) Values() []Value { return slices.Concat(m.values, m.added) }
