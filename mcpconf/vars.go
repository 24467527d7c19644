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

// DollarVar is a variable whose value is "$": what [Render] writes where an
// agent can spell a literal dollar sign in no other way.
const DollarVar = "HERETIC_DOLLAR"

// notef makes the note function of one field of one server.
func (r *reader) notef(server, field string, pos Pos) func(format string, args ...any) {
	return func(format string, args ...any) {
		r.notes = append(r.notes, Note{Server: server, Field: field, Text: fmt.Sprintf(format, args...), Pos: pos})
	}
}

// translation turns the variables of other clients in one value into ${NAME}.
type translation struct {
	*reader
	out  strings.Builder
	note func(format string, args ...any)
	// escapes tells that a backslash escapes a dollar sign here.
	escapes bool
}

// hasVariables tells whether a value may have anything to translate.
func hasVariables(s string) bool { return strings.ContainsAny(s, "${") }

// translate reports what it changed, or cannot change, to note.
func (r *reader) translate(field, s string, note func(format string, args ...any)) string {
	t := &translation{reader: r, note: note}
	t.escapes = r.dialect.backslash && (strings.HasPrefix(field, "env.") || strings.HasPrefix(field, "headers."))
	for s != "" {
		i := strings.IndexAny(s, `${\`)
		if i < 0 {
			break
		}
		t.out.WriteString(s[:i])
		s = s[i:]
		s = s[t.one(s):]
	}
	t.out.WriteString(s)
	return t.out.String()
}

// one writes the translation of what s begins with, and returns how much of s
// that is.
func (t *translation) one(s string) int {
	if n := t.literalDollar(s); n > 0 {
		return n
	}
	for _, v := range []struct {
		open, close string
		read        func(raw, body string) string
	}{
		{"$${", "}", func(raw, _ string) string { return raw }},
		{"${{", "}}", t.github},
		{"${", "}", t.braced},
		{"{env:", "}", func(_, name string) string { return "${" + name + "}" }},
	} {
		if !strings.HasPrefix(s, v.open) {
			continue
		}
		body, _, ok := strings.Cut(s[len(v.open):], v.close)
		if !ok {
			break
		}
		raw := s[:len(v.open)+len(body)+len(v.close)]
		out := v.read(raw, body)
		if out != raw {
			t.note("%s is read as %s", raw, t.described(raw, out))
		}
		t.out.WriteString(out)
		return len(raw)
	}
	if name := bareName(s); name != "" {
		if t.dialect.dollar {
			t.note("$%s is read as ${%s}", name, name)
			t.out.WriteString("${" + name + "}")
			return 1 + len(name)
		}
		t.note("$%s is kept as it is; a variable is ${%s}", name, name)
	}
	t.out.WriteByte(s[0])
	return 1
}

// literalDollar reads a dollar sign in the spellings that Render uses.
func (t *translation) literalDollar(s string) int {
	n := t.dollarWidth(s)
	if n == 0 && strings.HasPrefix(s, "$$") && t.dollarWidth(s[1:]) > 0 {
		n = 1 // no escape, but a dollar sign in front of one
	}
	if n == 0 {
		return 0
	}
	t.out.WriteByte('$')
	if n > 1 && strings.HasPrefix(s[n:], "{") {
		t.out.WriteString("${")
		n++
	}
	return n
}

// dollarWidth is the length of such a spelling.
func (t *translation) dollarWidth(s string) int {
	rest, escaped := s, false
	if t.escapes {
		rest, escaped = strings.CutPrefix(s, `\`)
	}
	for _, spelling := range []string{"${" + DollarVar + ":-$}", "${" + DollarVar + "}"} {
		if strings.HasPrefix(rest, spelling) {
			return len(s) - len(rest) + len(spelling)
		}
	}
	if escaped && strings.HasPrefix(rest, "$") {
		return 2
	}
	return 0
}

// github reads Continue's ${{ secrets.NAME }}.
func (t *translation) github(raw, body string) string {
	kind, name, ok := strings.Cut(strings.TrimSpace(body), ".")
	if !ok || kind != "secrets" && kind != "inputs" {
		return raw
	}
	return "${" + name + "}"
}

// braced reads what stands in ${...}.
func (t *translation) braced(raw, body string) string {
	kind, rest, _ := strings.Cut(body, ":")
	switch {
	case kind == "env" && rest != "":
		return "${" + rest + "}"
	case kind == "workspaceFolder", kind == "workspaceRoot":
		return "${" + WorkspaceVar + "}"
	case kind == "userHome":
		return "${" + HomeVar + "}"
	case kind == "pathSeparator", body == "/":
		return "/"
	case kind == "input" && rest != "":
		return "${" + inputVariable(rest) + "}"
	case kind == "workspaceFolderBasename", rest != "" && !strings.HasPrefix(rest, "-") && !strings.HasPrefix(rest, "+"):
		t.note("%s has no equivalent in a container", raw)
	}
	return raw
}

// described adds what VS Code asks its user for an input.
func (t *translation) described(raw, out string) string {
	if id, ok := strings.CutPrefix(raw, "${input:"); ok {
		if text := t.inputs[strings.TrimSuffix(id, "}")]; text != "" {
			return out + ": " + text
		}
	}
	return out
}

// inputVariable is the variable that stands for a VS Code input.
func inputVariable(id string) string {
	return strings.ToUpper(strings.ReplaceAll(id, "-", "_"))
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
