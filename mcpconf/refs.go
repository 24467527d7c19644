package mcpconf

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"heretic/mcpconf/internal/doc"
)

// refSyntax is how one form writes variables. The zero value has none.
type refSyntax struct {
	open, close string
	defaults    bool // NAME:-default between them
	operators   bool // every operator that heretic knows
	bare        bool // $NAME is a variable too
	// dollar spells a literal dollar sign in front of what would be a
	// variable; without one such a value is refused.
	dollar string
	// twice tells that values of env and headers are expanded a second time,
	// with backslash as the escape.
	twice bool
	// tokens begin what the agent expands, beside what bare says. Empty is
	// open alone.
	tokens []string
	// textual tells that the agent expands the text of the file: what is
	// literal is written with a JSON escape.
	textual bool
	// workspace and home are the form's own names for these places.
	workspace, home string
	// whole tells that a reference can only be a whole value, and has a key of
	// its own (Codex).
	whole bool
}

// part is a piece of a value: literal text, or a reference when Name is set.
type part struct {
	text string // literal, or the reference as it was written
	name string
	op   string // ":-", "-", ":+", "+", or empty
	word string // behind the operator
}

// splitRefs takes a value of the neutral form apart.
func splitRefs(s string) []part {
	var parts []part
	var lit strings.Builder
	for s != "" {
		i := strings.Index(s, "${")
		if i < 0 {
			break
		}
		if i > 0 && s[i-1] == '$' {
			lit.WriteString(s[:i-1] + "${")
			s = s[i+2:]
			continue
		}
		end := strings.IndexByte(s[i:], '}')
		if end < 0 {
			break
		}
		p := parseRef(s[i : i+end+1])
		lit.WriteString(s[:i])
		s = s[i+end+1:]
		if p.name == "" {
			lit.WriteString(p.text)
			continue
		}
		if lit.Len() > 0 {
			parts = append(parts, part{text: lit.String()})
			lit.Reset()
		}
		parts = append(parts, p)
	}
	lit.WriteString(s)
	if lit.Len() > 0 || len(parts) == 0 {
		parts = append(parts, part{text: lit.String()})
	}
	return parts
}

func parseRef(raw string) part {
	p := part{text: raw}
	body := raw[2 : len(raw)-1]
	n := 0
	for n < len(body) && isNameByte(body[n], n) {
		n++
	}
	name, rest := body[:n], body[n:]
	if name == "" {
		return p
	}
	for _, op := range []string{":-", ":+", "-", "+", ""} {
		if strings.HasPrefix(rest, op) && (op != "" || rest == "") {
			p.name, p.op, p.word = name, op, rest[len(op):]
			break
		}
	}
	return p
}

func isNameByte(c byte, i int) bool {
	return c == '_' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || i > 0 && c >= '0' && c <= '9'
}

// scalar writes one value. In path, env and headers begin the values that
// some agents expand twice.
func (w *writer) scalar(s Server, path, v string) (*yaml.Node, error) {
	if w.verbatim {
		return doc.Str(v), nil
	}
	if !utf8.ValidString(v) {
		return nil, serverError(s.Name, path, s.At(path), "the value is not UTF-8 text, and %s has no other", w.row.form)
	}
	parts := []part{{text: v}}
	if w.opt.KeepRefs {
		parts = splitRefs(v)
	}
	var b strings.Builder
	for _, p := range parts {
		var text, note string
		var err error
		if p.name == "" {
			text, err = w.row.refs.literal(p.text, strings.HasPrefix(path, "env.") || strings.HasPrefix(path, "headers."))
		} else {
			text, note, err = w.row.refs.reference(p)
		}
		if err != nil {
			e := serverError(s.Name, path, s.At(path), "%s %v", w.row.form, err)
			e.hint = "write the value out, or leave the server to heretic, which resolves it"
			return nil, e
		}
		if note != "" {
			w.note(s, path, note)
		}
		b.WriteString(text)
	}
	if w.row.refs.textual {
		return doc.RawJSON(`"` + b.String() + `"`), nil
	}
	return doc.Str(b.String()), nil
}

// literal writes text that is no variable.
func (r refSyntax) literal(s string, expandedTwice bool) (string, error) {
	if r.textual {
		s = doc.JSONText(s)
		for _, t := range r.tokens {
			s = strings.ReplaceAll(s, t, fmt.Sprintf(`\u%04x`, t[0])+t[1:])
		}
		return s, nil
	}
	if r.dollar == "" {
		for _, t := range r.tokens {
			if strings.Contains(s, t) {
				return "", fmt.Errorf("would take %q in the value for a variable, and has no way to write it", t)
			}
		}
		return s, nil
	}
	if strings.IndexByte(s, '$') < 0 {
		return s, nil
	}
	var b strings.Builder
	for i := range len(s) {
		if s[i] != '$' {
			b.WriteByte(s[i])
			continue
		}
		starts := i+1 < len(s) && (s[i+1] == '{' || r.bare && (isNameByte(s[i+1], 1)))
		if r.twice && expandedTwice && (starts || i > 0 && s[i-1] == '\\') {
			b.WriteByte('\\')
		}
		if starts {
			b.WriteString(r.dollar)
		} else {
			b.WriteByte('$')
		}
	}
	return b.String(), nil
}

// reference writes a variable, with a note about what is lost.
func (r refSyntax) reference(p part) (text, note string, err error) {
	shown := "${" + p.name + "}"
	switch {
	case r.operators:
		return p.text, "", nil
	case r.open == "":
		return "", "", fmt.Errorf("has no variables: %s would reach the server literally", shown)
	case p.name == WorkspaceVar && r.workspace != "":
		return r.workspace, "", nil
	case p.name == HomeVar && r.home != "":
		return r.home, "", nil
	case p.op == "" || p.op == ":-" && r.defaults:
		if p.name == WorkspaceVar || p.name == HomeVar {
			note = shown + " is known to heretic only"
		}
		return r.open + p.name + p.op + p.word + r.close, note, nil
	case p.op == ":-" || p.op == "-":
		return r.open + p.name + r.close, "the default of " + shown + " is lost", nil
	default:
		return "", "", fmt.Errorf("has no variables with %q: %s", p.op, shown)
	}
}
