package profile

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"heretic/mcpconf"
	"heretic/profile/internal/expand"
	"heretic/profile/internal/fsread"
)

// maxServersFile bounds an mcp_file.
const maxServersFile = 32 << 20

// readServers reads the servers of the layer that won: those of mcp_file, and
// over them those of mcp. References in them stay.
func (m *Merged) readServers() error {
	if m.opts.MCP != nil {
		return m.flagServers(*m.opts.MCP)
	}
	if v, ok := m.Get("mcp_file"); ok {
		file, err := m.loader.filePath(v)
		if err != nil {
			return err
		}
		set, err := readServersFile(file, v)
		if err != nil {
			return err
		}
		m.MCPFile, m.Servers = file, set.Servers
		m.notes = append(m.notes, set.Notes...)
	}
	if v, ok := m.Get("mcp"); ok {
		set, err := mcpconf.ParseNode(v.Layer.File, v.Node)
		if err != nil {
			return err
		}
		m.Servers = mcpconf.Merge(m.Servers, set.Servers)
		m.notes = append(m.notes, set.Notes...)
	}
	return nil
}

// FlagServers tells that the servers were given on the command line.
func (m *Merged) FlagServers() bool { return m.opts.MCP != nil }

func (m *Merged) flagServers(flag MCPFlag) error {
	set, err := mcpconf.Parse(mcpconf.Source{Name: flag.Name}, flag.Data)
	if err != nil {
		return err
	}
	m.Servers = set.Servers
	m.notes = append(m.notes, set.Notes...)
	return nil
}

func readServersFile(file string, v Value) (mcpconf.Set, error) {
	where := "mcp_file is set in " + v.Origin().String()
	data, err := fsread.File(file, maxServersFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return mcpconf.Set{}, &hinted{fmt.Errorf("MCP file not found: %s", file), where}
	case err != nil:
		return mcpconf.Set{}, &hinted{fmt.Errorf("MCP file cannot be read: %w", err), where}
	}
	return mcpconf.Parse(mcpconf.Source{Name: file}, data)
}

// filePath is the path of a file that takes part in merging. Its variables
// are CWD, HOME and the host's environment: a secret has no value yet.
func (l Loader) filePath(v Value) (string, error) {
	s := v.Node.Value
	if v.Layer.File != "" {
		var err error
		s, err = expand.String(s, func(name string) (string, bool) {
			if v, ok := l.place(name); ok {
				return v, true
			}
			if l.Lookup == nil {
				return "", false
			}
			return l.Lookup(name)
		})
		if err != nil {
			return "", v.wrap(err)
		}
	}
	path, err := l.hostPath(s)
	if err != nil {
		return "", v.wrap(err)
	}
	return path, nil
}

// servers resolves the servers that are not disabled.
func (r *resolver) servers() {
	p := &r.out.Profile
	p.MCPFile = r.m.MCPFile
	r.out.Notes = append(r.out.Notes, r.m.notes...)
	layer := r.m.serversLayer()
	values := 0
	for i := range r.m.Servers {
		s := &r.m.Servers[i]
		values += 2 + len(s.Args) + len(s.Headers) + len(s.Env)
	}
	r.out.Origins = slices.Grow(r.out.Origins, values)
	p.Servers = slices.Grow(p.Servers, len(r.m.Servers))
	for _, s := range r.m.Servers {
		key := "mcp." + s.Name
		if s.Disabled {
			r.origin(key, "disabled", false, Origin{Layer: layer, Pos: s.Pos})
			continue
		}
		out, _ := s.Map(func(field, value string, pos mcpconf.Pos) (string, error) {
			r.noteHostPath(s, field, value, pos)
			r.tainted = false
			v, err := expand.String(value, r.lookup)
			if err != nil {
				r.failAt(pos, key+"."+field, err)
				return "", nil
			}
			secret := r.tainted || strings.HasPrefix(field, "env.") || strings.HasPrefix(field, "headers.")
			r.origin(key+"."+field, v, secret, Origin{Layer: layer, Pos: pos})
			return v, nil
		})
		p.Servers = append(p.Servers, out)
	}
}

// serversLayer names the layer that the servers come from.
func (m *Merged) serversLayer() string {
	for _, path := range []string{"mcp", "mcp_file"} {
		if v, ok := m.Get(path); ok {
			return v.Layer.Name
		}
	}
	return "flag"
}

// noteHostPath notes a path of the host where the container will look for it.
func (r *resolver) noteHostPath(s mcpconf.Server, field, value string, pos mcpconf.Pos) {
	if field != "command" && field != "cwd" && !strings.HasPrefix(field, "args[") {
		return
	}
	refs, _ := expand.Refs(value)
	for _, ref := range refs {
		if ref.Name == "HOME" || ref.Name == "CWD" {
			r.out.Notes = append(r.out.Notes, mcpconf.Note{Server: s.Name, Field: field, Pos: pos,
				Text: fmt.Sprintf("${%s} is a path of the host; in the container the project is ${WORKSPACE}", ref.Name)})
		}
	}
}
