// Package expand replaces the variables of one string value: ${VAR},
// ${VAR:-default}, ${VAR-default} and ${VAR:+alt}. $${ is a literal ${, and a
// $ that no { follows is itself. Every other ${...} is an error.
//
// The value of a reference with an operator is computed by envsubst, with an environment that
// holds that variable only. What is a reference, and whether an unset one is
// an error, is decided here: the package takes $VAR for a variable too, gives
// ${VAR:+alt} for an empty VAR, and finds nothing wrong with ${VAR:?x}.
package expand

import (
	"fmt"
	"strings"

	"github.com/a8m/envsubst/parse"
)

// Ref is one reference to a variable.
type Ref struct {
	Name string
	Op   string // "", ":-", "-" or ":+"
	Arg  string // the default or alternative, as written
}

// Required tells whether the reference is an error when the variable is unset.
func (r Ref) Required() bool { return r.Op == "" }

// UnsetError is the error for a variable that is not set and has no default.
type UnsetError struct{ Name string }

func (e *UnsetError) Error() string { return fmt.Sprintf("variable %s is not set", e.Name) }

// Hint says how to mean an empty value.
func (e *UnsetError) Hint() string {
	return fmt.Sprintf("set it, or write ${%s:-} where empty is meant", e.Name)
}

// FormError is the error for a ${...} that is none of the known forms.
type FormError struct{ Form, Why string }

func (e *FormError) Error() string { return fmt.Sprintf("%s: %s", e.Form, e.Why) }

// Hint lists the known forms.
func (e *FormError) Hint() string {
	return "known forms: ${VAR}, ${VAR:-default}, ${VAR-default}, ${VAR:+alt}; write $${ for a literal ${"
}

// Lookup returns the value of a variable.
type Lookup func(name string) (string, bool)

// String returns s with its references replaced.
func String(s string, lookup Lookup) (string, error) {
	if !strings.Contains(s, "${") {
		return s, nil
	}
	var b strings.Builder
	err := scan(s, func(text string) { b.WriteString(text) }, func(r Ref) error {
		v, err := r.value(lookup)
		b.WriteString(v)
		return err
	})
	if err != nil {
		return "", err
	}
	return b.String(), nil
}

// Refs returns the references of s in order.
func Refs(s string) ([]Ref, error) {
	if !strings.Contains(s, "${") {
		return nil, nil
	}
	var refs []Ref
	err := scan(s, func(string) {}, func(r Ref) error {
		refs = append(refs, r)
		return nil
	})
	return refs, err
}

// Sole tells whether s is exactly one reference and nothing else.
func Sole(s string) (Ref, bool) {
	refs, err := Refs(s)
	if err != nil || len(refs) != 1 || !strings.HasPrefix(s, "${") || strings.IndexByte(s, '}') != len(s)-1 {
		return Ref{}, false
	}
	return refs[0], true
}

// Mask returns s with mask in place of literal text and of defaults, so that
// the variables it refers to are seen and nothing else.
func Mask(s, mask string) string {
	var b strings.Builder
	err := scan(s, func(text string) {
		if text != "" && !strings.HasSuffix(b.String(), mask) {
			b.WriteString(mask)
		}
	}, func(r Ref) error {
		arg := ""
		if r.Arg != "" {
			arg = mask
		}
		b.WriteString("${" + r.Name + r.Op + arg + "}")
		return nil
	})
	if err != nil {
		return mask
	}
	return b.String()
}

// Split cuts s at sep where it stands outside of ${...}, into at most n parts.
func Split(s string, sep byte, n int) []string {
	var parts []string
	start := 0
	for i := 0; i < len(s) && (n < 0 || len(parts) < n-1); i++ {
		switch {
		case strings.HasPrefix(s[i:], "$${"):
			i += 2
		case strings.HasPrefix(s[i:], "${"):
			if end := strings.IndexByte(s[i:], '}'); end > 0 {
				i += end
			}
		case s[i] == sep:
			parts = append(parts, s[start:i])
			start = i + 1
		}
	}
	return append(parts, s[start:])
}

// Escape returns s with every ${ written as $${, so that it stays as it is.
func Escape(s string) string { return strings.ReplaceAll(s, "${", "$${") }

func (r Ref) value(lookup Lookup) (string, error) {
	v, set := lookup(r.Name)
	if !set && r.Required() {
		return "", &UnsetError{r.Name}
	}
	if r.Required() {
		return v, nil
	}
	env := []string{"ARG=" + r.Arg}
	if set && (v != "" || r.Op != ":+") {
		env = append(env, "VALUE="+v)
	}
	form := "${VALUE}"
	if r.Op != "" {
		form = "${VALUE" + r.Op + "$ARG}"
	}
	return parse.New(r.Name, env, parse.Relaxed).Parse(form)
}

// scan calls text and ref for the parts of s in order, until an error.
func scan(s string, text func(string), ref func(Ref) error) error {
	for {
		i := strings.Index(s, "${")
		if i < 0 {
			text(s)
			return nil
		}
		if i > 0 && s[i-1] == '$' {
			text(s[:i-1] + "${")
			s = s[i+2:]
			continue
		}
		text(s[:i])
		s = s[i:]
		end := strings.IndexByte(s, '}')
		if end < 0 {
			return &FormError{show(s), "the } is missing"}
		}
		r, err := parseRef(s[:end+1])
		if err == nil {
			err = ref(r)
		}
		if err != nil {
			return err
		}
		s = s[end+1:]
	}
}

// parseRef reads one ${...}.
func parseRef(form string) (Ref, error) {
	body := form[2 : len(form)-1]
	n := 0
	for n < len(body) && nameByte(body[n], n) {
		n++
	}
	r := Ref{Name: body[:n]}
	if n == 0 {
		return Ref{}, &FormError{show(form), "not the name of a variable"}
	}
	rest := body[n:]
	for _, op := range []string{":-", ":+", "-"} {
		if arg, ok := strings.CutPrefix(rest, op); ok {
			r.Op, r.Arg = op, arg
			break
		}
	}
	switch {
	case rest != "" && r.Op == "":
		return Ref{}, &FormError{show(form), "not a form that heretic knows"}
	case strings.Contains(r.Arg, "${"):
		return Ref{}, &FormError{show(form), "a default cannot have a ${...} in it"}
	}
	return r, nil
}

func nameByte(c byte, at int) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || at > 0 && c >= '0' && c <= '9'
}

// show is the start of a form for an error text: not what may be a default,
// which may be a secret.
func show(form string) string {
	for i, c := range form {
		if i > 2 && (c == '-' || c == '+' || c == '=') || c < ' ' || i > 40 {
			return form[:i] + "..."
		}
	}
	return form
}
