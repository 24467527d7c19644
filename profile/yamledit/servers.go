package yamledit

import (
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"

	"heretic/mcpconf"
)

// Servers makes servers the value of the profile's `mcp`. The text of a server
// that stays as it was is not touched. file is the name for errors.
func Servers(file string, data []byte, servers []mcpconf.Server) ([]byte, error) {
	d, err := read(data)
	if err != nil {
		return nil, err
	}
	n, _, ok := d.find(Path{"mcp"})
	if !ok || len(n.Content) == 0 || n.Kind == yaml.AliasNode {
		return Set(data, Path{"mcp"}, mcpconf.NodeOf(servers))
	}
	old, err := mcpconf.ParseNode(file, n)
	if err != nil {
		return nil, err
	}
	if n.Kind == yaml.MappingNode {
		return serverMap(file, data, old.Servers, servers)
	}
	return serverList(file, data, old.Servers, servers)
}

func byName(servers []mcpconf.Server) map[string]mcpconf.Server {
	m := make(map[string]mcpconf.Server, len(servers))
	for _, s := range servers {
		m[s.Name] = s
	}
	return m
}

// serverList edits a list of entries. Entries that go are taken out, others
// replaced in place or appended.
func serverList(file string, data []byte, old, servers []mcpconf.Server) ([]byte, error) {
	want, have := byName(servers), byName(old)
	var err error
	for i := len(old) - 1; i >= 0; i-- {
		s, stays := want[old[i].Name]
		switch {
		case !stays:
			data, err = Remove(data, Path{"mcp", i})
		case !s.Equal(old[i]):
			data, err = replaceServer(file, data, Path{"mcp", i}, s, one(s))
		}
		if err != nil {
			return nil, err
		}
	}
	for _, s := range servers {
		if _, ok := have[s.Name]; ok {
			continue
		}
		if data, err = Append(data, Path{"mcp"}, one(s)); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// serverMap edits a map of entries by name.
func serverMap(file string, data []byte, old, servers []mcpconf.Server) ([]byte, error) {
	want, have := byName(servers), byName(old)
	var err error
	for _, s := range old {
		if _, stays := want[s.Name]; !stays {
			if data, err = Remove(data, Path{"mcp", s.Name}); err != nil {
				return nil, err
			}
		}
	}
	for _, s := range servers {
		if o, ok := have[s.Name]; ok && o.Equal(s) {
			continue
		}
		entry := one(s)
		entry.Content = entry.Content[2:] // the name is the key
		if data, err = replaceServer(file, data, Path{"mcp", s.Name}, s, entry); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// replaceServer makes entry the value at path. Where that says the same, only
// the keys that differ are changed, so that comments beside the others stay.
func replaceServer(file string, data []byte, path Path, s mcpconf.Server, entry *yaml.Node) ([]byte, error) {
	if changed, err := overlay(data, path, entry); err == nil && says(file, changed, s) {
		return changed, nil
	}
	return Set(data, path, entry)
}

// overlay gives a map the keys and values of another one.
func overlay(data []byte, path Path, value *yaml.Node) ([]byte, error) {
	d, err := read(data)
	if err != nil {
		return nil, err
	}
	old, _, ok := d.find(path)
	switch {
	case ok && same(old, value):
		return data, nil
	case !ok || old.Kind != yaml.MappingNode || value.Kind != yaml.MappingNode:
		return Set(data, path, value)
	}
	keys := map[string]bool{}
	for i := 0; i+1 < len(value.Content); i += 2 {
		key := value.Content[i].Value
		keys[key] = true
		if data, err = overlay(data, below(path, key), value.Content[i+1]); err != nil {
			return nil, err
		}
	}
	for i := 0; i+1 < len(old.Content); i += 2 {
		if key := old.Content[i].Value; !keys[key] {
			if data, err = Remove(data, below(path, key)); err != nil {
				return nil, err
			}
		}
	}
	return data, nil
}

func below(path Path, key string) Path { return append(slices.Clip(path), key) }

// says tells whether a profile has a server just so.
func says(file string, data []byte, s mcpconf.Server) bool {
	d, err := read(data)
	if err != nil {
		return false
	}
	n, _, ok := d.find(Path{"mcp"})
	if !ok {
		return false
	}
	set, err := mcpconf.ParseNode(file, n)
	if err != nil {
		return false
	}
	found, ok := byName(set.Servers)[s.Name]
	return ok && found.Equal(s)
}

// one is the node of one server.
func one(s mcpconf.Server) *yaml.Node { return mcpconf.NodeOf([]mcpconf.Server{s}).Content[0] }

// SchemaLine is the comment by which editors find the schema of a profile.
const SchemaLine = "# yaml-language-server: $schema="

// Override is the text of a new override that stands on a global profile.
func Override(profile string) []byte {
	return fmt.Appendf(nil, "extends: %s\n", profile)
}
