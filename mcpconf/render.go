package mcpconf

import (
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"

	"heretic/mcpconf/internal/doc"
)

// RenderOptions say how values are written.
type RenderOptions struct {
	// KeepRefs writes ${NAME} in the form's own syntax. Without it values
	// are literal: what the agent would take for a variable is escaped, or
	// refused where it cannot be.
	KeepRefs bool
	// PassEnv are names of variables of the container that stdio servers
	// get too, for an agent that clears the environment of its servers
	// (Codex). Other forms need no such list.
	PassEnv []string
	// Earlier are the names of servers that an earlier [Update] wrote. Those
	// that are not in the list any more are taken out.
	Earlier []string
}

// Rendered is a file, or the new content of one.
type Rendered struct {
	Data    []byte
	Servers []string // the names written, in order
	Notes   []Note   // what the form cannot express
}

// Render writes a whole file of one form. Disabled servers are left out.
func Render(form Form, servers []Server, opt RenderOptions) (Rendered, error) {
	w, err := newWriter(form, servers, opt)
	if err != nil {
		return Rendered{}, err
	}
	return w.rendered(w.file()), nil
}

// writer writes servers in one form.
type writer struct {
	row      formRow
	opt      RenderOptions
	verbatim bool // values are written as they are
	names    []string
	entries  []*yaml.Node // of each name
	notes    []Note
}

// newWriter makes the entries of the servers that the form can express.
func newWriter(form Form, servers []Server, opt RenderOptions) (*writer, error) {
	row, err := rowOf(form)
	if err != nil {
		return nil, err
	}
	w := &writer{row: row, opt: opt}
	enabled := make([]Server, 0, len(servers))
	for _, s := range servers {
		if !s.Disabled {
			enabled = append(enabled, s)
		}
	}
	if err := w.checkNames(enabled); err != nil {
		return nil, err
	}
	for _, s := range enabled {
		n, err := w.server(s)
		if err != nil {
			return nil, err
		}
		if n != nil {
			w.names = append(w.names, s.Name)
			w.entries = append(w.entries, n)
		}
	}
	return w, nil
}

func (w *writer) rendered(data []byte) Rendered {
	return Rendered{Data: data, Servers: w.names, Notes: w.notes}
}

// tree is the container of the servers.
func (w *writer) tree() *yaml.Node {
	if w.row.list {
		return doc.List(w.entries...)
	}
	m := doc.Map()
	for i, name := range w.names {
		doc.Set(m, name, w.entries[i])
	}
	return m
}

func (w *writer) file() []byte {
	switch w.row.syn {
	case tomlSyntax:
		return doc.TOMLTables(w.row.key, w.names, w.entries)
	case yamlSyntax:
		return doc.YAMLFile(doc.Wrap(w.row.key, w.tree()))
	default:
		return doc.JSONFile(doc.Wrap(w.row.key, w.tree()))
	}
}

func (w *writer) note(s Server, field, text string) {
	pos := s.At(field)
	w.notes = append(w.notes, Note{Server: s.Name, Field: field, Text: text, Pos: pos})
}

// server makes one entry. It is nil for a server that the form cannot express
// and that is left out, with a note.
func (w *writer) server(s Server) (*yaml.Node, error) {
	word, ok := w.row.words[s.Type]
	switch {
	case !ok && s.Type == WS:
		return nil, serverError(s.Name, "type", s.Pos, "%s has no ws transport", w.row.form)
	case !ok:
		w.note(s, "type", string(w.row.form)+" has no "+string(s.Type)+" transport, the server is left out")
		return nil, nil
	}
	n := doc.Map()
	if w.row.list || w.row.named {
		doc.Set(n, "name", doc.Str(s.Name))
	}
	if word != "" {
		doc.Set(n, "type", doc.Str(word))
	}
	for _, f := range w.row.fixed {
		v := doc.Str(f.Value)
		if f.Value == "true" {
			v = doc.Bool(true)
		}
		doc.Set(n, f.Name, v)
	}
	write := w.remote
	if s.Type == Stdio {
		write = w.stdio
	}
	if err := write(n, s); err != nil {
		return nil, err
	}
	if err := w.toolLists(n, s); err != nil {
		return nil, err
	}
	w.timeouts(n, s)
	return n, nil
}

func (w *writer) stdio(n *yaml.Node, s Server) error {
	command, err := w.scalar(s, "command", s.Command)
	if err != nil {
		return err
	}
	args := doc.List()
	for i, a := range s.Args {
		v, err := w.scalar(s, indexed("args", i), a)
		if err != nil {
			return err
		}
		args.Content = append(args.Content, v)
	}
	if w.row.argv || w.row.splits && len(s.Args) == 0 && strings.ContainsFunc(s.Command, unicode.IsSpace) {
		args.Content = append([]*yaml.Node{command}, args.Content...)
		doc.Set(n, "command", args)
	} else {
		doc.Set(n, or(w.row.command, "command"), command)
		if len(args.Content) > 0 || w.row.full {
			doc.Set(n, "args", args)
		}
	}
	if s.Cwd != "" {
		if !w.row.cwd {
			w.note(s, "cwd", string(w.row.form)+" ignores the working directory of a server")
		} else if err := w.member(n, s, "cwd", s.Cwd); err != nil {
			return err
		}
	}
	return w.env(n, s)
}

func (w *writer) remote(n *yaml.Node, s Server) error {
	if err := w.member(n, s, "url", s.URL); err != nil {
		return err
	}
	if key := w.row.urls[s.Type]; key != "" {
		n.Content[len(n.Content)-2].Value = key
	}
	if err := w.headers(n, s); err != nil {
		return err
	}
	switch {
	case len(s.Env) == 0:
	case w.row.remoteEnv:
		return w.env(n, s)
	default:
		w.note(s, "env", string(w.row.form)+" has no environment for a remote server")
	}
	return nil
}

// member writes a single value under its own name.
func (w *writer) member(n *yaml.Node, s Server, field, v string) error {
	node, err := w.scalar(s, field, v)
	if err == nil {
		doc.Set(n, field, node)
	}
	return err
}

func (w *writer) env(n *yaml.Node, s Server) error {
	vars := s.Env
	if w.row.refs.whole {
		var names []string
		if vars, names = passed(s, w.opt); len(names) > 0 {
			doc.Set(n, "env_vars", doc.Strings(names))
		}
	}
	return w.vars(n, s, "env", or(w.row.env, "env"), vars)
}

func (w *writer) headers(n *yaml.Node, s Server) error {
	vars := s.Headers
	if w.row.refs.whole && w.opt.KeepRefs {
		vars = wholeHeaders(n, vars)
	}
	return w.vars(n, s, "headers", or(w.row.headers, "headers"), vars)
}

// vars writes a map of values. A dot in the key is a nested object.
func (w *writer) vars(n *yaml.Node, s Server, field, key string, vars Vars) error {
	if len(vars) == 0 && !w.row.full {
		return nil
	}
	m := doc.Map()
	if w.row.pairs {
		m = doc.List()
	}
	for _, v := range vars {
		node, err := w.scalar(s, field+"."+v.Name, v.Value)
		switch {
		case err != nil:
			return err
		case w.row.pairs:
			pair := doc.Map()
			doc.Set(pair, "name", doc.Str(v.Name))
			doc.Set(pair, "value", node)
			m.Content = append(m.Content, pair)
		default:
			doc.Set(m, v.Name, node)
		}
	}
	if outer, inner, nested := strings.Cut(key, "."); nested {
		key, m = outer, doc.Wrap(inner, m)
	}
	doc.Set(n, key, m)
	return nil
}

func or(s, instead string) string {
	if s != "" {
		return s
	}
	return instead
}
