package mcpconf

import (
	"slices"
	"strconv"
	"strings"
)

// maxName leaves room for one character of a tool in the id mcp__NAME__TOOL,
// which models limit to 64.
const maxName = 64 - len("mcp____") - 1

// checkNames refuses names that an agent would merge, mangle or keep for
// itself, and notes those that it changes.
func (w *writer) checkNames(servers []Server) error {
	ids := make(map[string]int, len(servers))
	for i, s := range servers {
		id := toolID(s.Name)
		if other, ok := ids[id]; ok {
			o := servers[other]
			return nameError(s, "%s would merge its tools with those of '%s' at %s: both are mcp__%s__...", w.row.form, printable(o.Name), o.Pos, id)
		}
		ids[id] = i
		switch {
		case slices.Contains(w.row.reserved, s.Name) || s.Name == "__proto__":
			return nameError(s, "%s keeps that name for itself", w.row.form)
		case len(s.Name) > maxName:
			return nameError(s, "the name is longer than %d characters: models refuse its tools", maxName)
		case w.row.plainNames && strings.ContainsFunc(s.Name, func(r rune) bool { return r == ' ' || r > 0x7e }):
			return nameError(s, "%s never starts a server whose name has a space or is not ASCII", w.row.form)
		case id != s.Name:
			w.note(s, "name", "the tools of the server are named mcp__"+id+"__...")
		}
	}
	return nil
}

func nameError(s Server, format string, args ...any) error {
	e := serverError(s.Name, "", s.Pos, format, args...)
	e.hint = "rename the server"
	return e
}

// toolID is the part of a tool's id that agents make of a server's name.
func toolID(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
}

func indexed(field string, i int) string { return field + "[" + strconv.Itoa(i) + "]" }
