package yamledit

import (
	"fmt"

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
		return serverMap(data, old.Servers, servers)
	}
	return serverList(data, old.Servers, servers)
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
func serverList(data []byte, old, servers []mcpconf.Server) ([]byte, error) {
	want, have := byName(servers), byName(old)
	var err error
	for i := len(old) - 1; i >= 0; i-- {
		s, stays := want[old[i].Name]
		switch {
		case !stays:
			data, err = Remove(data, Path{"mcp", i})
		case !s.Equal(old[i]):
			data, err = Set(data, Path{"mcp", i}, one(s))
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
func serverMap(data []byte, old, servers []mcpconf.Server) ([]byte, error) {
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
		if data, err = Set(data, Path{"mcp", s.Name}, entry); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// one is the node of one server.
func one(s mcpconf.Server) *yaml.Node { return mcpconf.NodeOf([]mcpconf.Server{s}).Content[0] }

// SchemaLine is the comment by which editors find the schema of a profile.
const SchemaLine = "# yaml-language-server: $schema="

// Override is the text of a new override that stands on a global profile.
func Override(profile string) []byte {
	return fmt.Appendf(nil, "extends: %s\n", profile)
}
