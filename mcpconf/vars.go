package mcpconf

import (
	"fmt"
	"strings"
)

// The names of places in the container, as variables of the neutral form.
const (
	WorkspaceVar = "WORKSPACE"  // the workspace
	HomeVar      = "AGENT_HOME" // the container user's home
)

// translate turns the variables of other clients into ${NAME}. It reports
// what it changed, or cannot change, to note.
func (r *reader) translate(s string, note func(format string, args ...any)) string {
	if !strings.ContainsAny(s, "${") {
		return s
	}
	var b strings.Builder
	for s != "" {
		i := strings.IndexAny(s, "${")
		if i < 0 {
			break
		}
		b.WriteString(s[:i])
		s = s[i:]
		n := r.variable(&b, s, note)
		s = s[n:]
	}
	b.WriteString(s)
	return b.String()
}

// variable writes the translation of the variable that s may begin with, and
// returns how much of s it stands for.
func (r *reader) variable(b *strings.Builder, s string, note func(format string, args ...any)) int {
	for _, v := range []struct{ open, close string }{
		{"$${", "}"}, {"${{", "}}"}, {"${", "}"}, {"{env:", "}"},
	} {
		if !strings.HasPrefix(s, v.open) {
			continue
		}
		body, _, ok := strings.Cut(s[len(v.open):], v.close)
		if !ok {
			break
		}
		raw := s[:len(v.open)+len(body)+len(v.close)]
		out := raw
		switch v.open {
		case "${{":
			out = githubVariable(raw, strings.TrimSpace(body))
		case "${":
			out = r.dollarVariable(raw, body, note)
		case "{env:":
			out = "${" + body + "}"
		}
		if out != raw && v.open != "${" {
			note("%s is read as %s", raw, out)
		}
		b.WriteString(out)
		return len(raw)
	}
	if name := bareName(s); name != "" {
		if r.dialect.dollar {
			note("$%s is read as ${%s}", name, name)
			b.WriteString("${" + name + "}")
			return 1 + len(name)
		}
		note("$%s is kept as it is; a variable is ${%s}", name, name)
	}
	b.WriteByte(s[0])
	return 1
}

// bareName is the NAME of a $NAME that s begins with. Only capitals count: the
// dollar sign of a password is rarely followed by them alone.
func bareName(s string) string {
	if s[0] != '$' {
		return ""
	}
	n := 1
	for n < len(s) && (s[n] == '_' || s[n] >= 'A' && s[n] <= 'Z' || n > 1 && s[n] >= '0' && s[n] <= '9') {
		n++
	}
	if n < len(s) && s[n] >= 'a' && s[n] <= 'z' {
		return ""
	}
	return s[1:n]
}

// githubVariable reads Continue's ${{ secrets.NAME }}.
func githubVariable(raw, body string) string {
	kind, name, ok := strings.Cut(body, ".")
	if !ok || kind != "secrets" && kind != "inputs" {
		return raw
	}
	return "${" + name + "}"
}

func (r *reader) dollarVariable(raw, body string, note func(format string, args ...any)) string {
	kind, rest, _ := strings.Cut(body, ":")
	out := raw
	switch {
	case kind == "env" && rest != "":
		out = "${" + rest + "}"
	case kind == "workspaceFolder", kind == "workspaceRoot":
		out = "${" + WorkspaceVar + "}"
	case kind == "userHome":
		out = "${" + HomeVar + "}"
	case kind == "pathSeparator", body == "/":
		out = "/"
	case kind == "input" && rest != "":
		out = "${" + inputVariable(rest) + "}"
		if d := r.inputs[rest]; d != "" {
			note("%s is read as %s: %s", raw, out, d)
			return out
		}
	case kind == "workspaceFolderBasename", rest != "" && !strings.HasPrefix(rest, "-") && !strings.HasPrefix(rest, "+"):
		note("%s has no equivalent in a container", raw)
	}
	if out != raw {
		note("%s is read as %s", raw, out)
	}
	return out
}

// inputVariable is the variable that stands for a VS Code input.
func inputVariable(id string) string {
	return strings.ToUpper(strings.ReplaceAll(id, "-", "_"))
}

// notef makes the note function of one field of one server.
func (r *reader) notef(server, field string, pos Pos) func(format string, args ...any) {
	return func(format string, args ...any) {
		r.notes = append(r.notes, Note{Server: server, Field: field, Text: fmt.Sprintf(format, args...), Pos: pos})
	}
}
