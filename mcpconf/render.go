package mcpconf

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"heretic/mcpconf/internal/doc"
)

// RenderOptions say how values are written.
type RenderOptions struct {
	// KeepRefs writes ${NAME} in the form's own syntax. Without it values
	// are literal: what the agent would take for a variable is escaped, or
	// refused where it cannot be.
	KeepRefs bool
	// Earlier are the names of servers that an earlier [Update] wrote and
	// that it now takes out again when they are not in the list.
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
	row, err := rowOf(form)
	if err != nil {
		return Rendered{}, err
	}
	w := &writer{row: row, opt: opt}
	m, err := w.servers(servers)
	if err != nil {
		return Rendered{}, err
	}
	root := doc.Map()
	doc.Set(root, row.key, m)
	return Rendered{Data: doc.JSONFile(root), Servers: w.names, Notes: w.notes}, nil
}

// Update replaces the servers in a file that the agent owns and keeps all
// else, byte for byte. Empty content is an empty file; malformed content is a
// [*FormatError].
func Update(form Form, file string, existing []byte, servers []Server, opt RenderOptions) (Rendered, error) {
	if strings.TrimSpace(string(existing)) == "" {
		return Render(form, servers, opt)
	}
	return Rendered{}, fmt.Errorf("%s cannot be updated", form)
}

func rowOf(form Form) (formRow, error) {
	var names []string
	for _, r := range formRows() {
		if r.form == form {
			return r, nil
		}
		names = append(names, string(r.form))
	}
	return formRow{}, &FormatError{text: fmt.Sprintf("unknown form '%s'", printable(string(form))), hint: "known forms: " + strings.Join(names, ", ")}
}

type writer struct {
	row   formRow
	opt   RenderOptions
	names []string
	notes []Note
}

func (w *writer) servers(servers []Server) (*yaml.Node, error) {
	m := doc.Map()
	for _, s := range servers {
		if s.Disabled {
			continue
		}
		n, err := w.server(s)
		if err != nil {
			return nil, err
		}
		w.names = append(w.names, s.Name)
		doc.Set(m, s.Name, n)
	}
	return m, nil
}

func (w *writer) server(s Server) (*yaml.Node, error) {
	word, ok := w.row.words[s.Type]
	if !ok {
		return nil, serverError(s.Name, "type", s.Pos, "%s has no %s transport", w.row.form, s.Type)
	}
	n := doc.Map()
	if word != "" {
		doc.Set(n, "type", doc.Str(word))
	}
	if s.Type == Stdio {
		doc.Set(n, "command", doc.Str(s.Command))
		setList(n, "args", s.Args)
	} else {
		doc.Set(n, "url", doc.Str(s.URL))
		setVars(n, "headers", s.Headers)
	}
	setVars(n, "env", s.Env)
	switch {
	case w.row.tools == "":
	case s.Tools == nil:
		setList(n, w.row.tools, w.row.allTools)
	default:
		doc.Set(n, w.row.tools, stringList(s.Tools))
	}
	return n, nil
}

func stringList(list []string) *yaml.Node {
	n := doc.List()
	for _, s := range list {
		n.Content = append(n.Content, doc.Str(s))
	}
	return n
}

func setList(n *yaml.Node, key string, list []string) {
	if len(list) > 0 {
		doc.Set(n, key, stringList(list))
	}
}

func setVars(n *yaml.Node, key string, vars Vars) {
	if len(vars) == 0 {
		return
	}
	m := doc.Map()
	for _, v := range vars {
		doc.Set(m, v.Name, doc.Str(v.Value))
	}
	doc.Set(n, key, m)
}
