package mcpconf

import (
	"math"
	"strconv"
	"time"

	"gopkg.in/yaml.v3"

	"heretic/mcpconf/internal/doc"
)

// toolLists writes which tools are offered.
func (w *writer) toolLists(n *yaml.Node, s Server) error {
	switch {
	case s.Tools == nil && w.row.allTools != nil:
		doc.Set(n, w.row.tools, doc.Strings(w.row.allTools))
	case s.Tools == nil:
	case w.row.tools == "":
		w.note(s, "tools", string(w.row.form)+" cannot limit the tools of a server: all are offered")
	case len(s.Tools) == 0 && w.row.noneIsAll:
		return serverError(s.Name, "tools", s.At("tools"), "%s offers all tools when the list is empty", w.row.form)
	default:
		doc.Set(n, w.row.tools, doc.Strings(s.Tools))
	}
	switch {
	case len(s.ExcludeTools) == 0:
	case w.row.exclude == "":
		w.note(s, "excludeTools", string(w.row.form)+" cannot hide tools of a server: they are offered")
	default:
		doc.Set(n, w.row.exclude, doc.Strings(s.ExcludeTools))
	}
	return nil
}

// timeouts writes the limits in the form's unit, rounded up where it has only
// whole ones.
func (w *writer) timeouts(n *yaml.Node, s Server) {
	for _, t := range []struct {
		field, key string
		d          time.Duration
	}{
		{"startupTimeout", w.row.startup, s.StartupTimeout},
		{"timeout", w.row.timeout, s.Timeout},
	} {
		switch {
		case t.d == 0:
		case t.key == "":
			w.note(s, t.field, string(w.row.form)+" has no such limit for a single server")
		default:
			f := float64(t.d) / float64(w.row.unit)
			if whole := math.Ceil(f); whole != f && !w.row.fraction {
				f = whole
				w.note(s, t.field, "rounded up to "+(time.Duration(f)*w.row.unit).String())
			}
			doc.Set(n, t.key, doc.Num(strconv.FormatFloat(f, 'f', -1, 64)))
		}
	}
}

// passed takes the variables out of a server's environment that come from the
// agent's own under the same name, and adds those that the caller passes on.
func passed(s Server, opt RenderOptions) (rest Vars, names []string) {
	for _, v := range s.Env {
		parts := splitRefs(v.Value)
		if opt.KeepRefs && len(parts) == 1 && parts[0].name == v.Name && parts[0].op == "" {
			names = append(names, v.Name)
			continue
		}
		rest = append(rest, v)
	}
	for _, name := range opt.PassEnv {
		if !s.Env.has(name) {
			names = append(names, name)
		}
	}
	return rest, names
}

// wholeHeaders writes the headers that are one variable, and returns the
// others.
func wholeHeaders(n *yaml.Node, vars Vars) Vars {
	var rest Vars
	byName := doc.Map()
	for _, v := range vars {
		parts := splitRefs(v.Value)
		last := parts[len(parts)-1]
		switch {
		case last.name == "" || last.op != "":
			rest = append(rest, v)
		case len(parts) == 1:
			doc.Set(byName, v.Name, doc.Str(last.name))
		case len(parts) == 2 && v.Name == "Authorization" && parts[0].text == "Bearer ":
			doc.Set(n, "bearer_token_env_var", doc.Str(last.name))
		default:
			rest = append(rest, v)
		}
	}
	if len(byName.Content) > 0 {
		doc.Set(n, "env_http_headers", byName)
	}
	return rest
}
