package expand

import (
	"errors"
	"strings"
	"testing"
)

func env(name string) (string, bool) {
	v, ok := map[string]string{"A": "a", "EMPTY": "", "DOLLAR": "p$A${A}", "NL": "x\nimage: attacker", "_u1": "u"}[name]
	return v, ok
}

func TestString(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"plain", "plain"},
		{"${A}", "a"},
		{"x${A}y${A}z", "xayaz"},
		{"${_u1}", "u"},
		{"${EMPTY}", ""},
		{"${A:-d}", "a"},
		{"${EMPTY:-d}", "d"},
		{"${UNSET:-d}", "d"},
		{"${UNSET:-}", ""},
		{"${A-d}", "a"},
		{"${EMPTY-d}", ""},
		{"${UNSET-d}", "d"},
		{"${UNSET-}", ""},
		{"${A:+alt}", "alt"},
		{"${EMPTY:+alt}", ""},
		{"${UNSET:+alt}", ""},
		{"${UNSET:-http://h:80/-x?a=b}", "http://h:80/-x?a=b"},
		{"${UNSET:-p$A$$1}", "p$A$$1"}, // a $ in a default is itself too
		{"${UNSET:-a\nb}", "a\nb"},
		{"${UNSET:-:-}", ":-"},
		{"p$ssw0rd", "p$ssw0rd"},
		{"$A", "$A"},
		{"$1 $$ $", "$1 $$ $"},
		{"$${A}", "${A}"},
		{"$${", "${"},
		{"$$${A}", "$${A}"},
		{"$${A}${A}", "${A}a"},
		{"${DOLLAR}", "p$A${A}"}, // a value is not expanded again
		{"${NL}", "x\nimage: attacker"},
		{"}{$", "}{$"},
	} {
		got, err := String(tt.in, env)
		if err != nil || got != tt.want {
			t.Errorf("String(%q) = %q, %v; want %q", tt.in, got, err, tt.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"${UNSET}", "variable UNSET is not set"},
		{"a ${UNSET} b", "variable UNSET is not set"},
		{"${A:?must}", "${A:?must}: not a form that heretic knows"},
		{"${A:=x}", "${A:...: not a form that heretic knows"},
		{"${A=x}", "${A...: not a form that heretic knows"},
		{"${A+x}", "${A...: not a form that heretic knows"},
		{"${#A}", "${#A}: not the name of a variable"},
		{"${env:A}", "${env:A}: not a form that heretic knows"},
		{"${1}", "${1}: not the name of a variable"},
		{"${}", "${}: not the name of a variable"},
		{"${ A }", "${ A }: not the name of a variable"},
		{"${A", "${A: the } is missing"},
		{"${A:-${B}}", "${A:...: a default cannot have a ${...} in it"},
		{"${A.b}", "${A.b}: not a form that heretic knows"},
	} {
		_, err := String(tt.in, env)
		if err == nil || err.Error() != tt.want {
			t.Errorf("String(%q): %v; want %q", tt.in, err, tt.want)
		}
		if h, ok := errors.AsType[interface {
			error
			Hint() string
		}](err); !ok || h.Hint() == "" {
			t.Errorf("String(%q): no hint", tt.in)
		}
	}
}

func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want string
	}{
		{"a:b:c", "a|b|c"},
		{"${X:-y}:b", "${X:-y}|b"},
		{"$${X:b", "$${X|b"},
		{"${X:b", "${X|b"},
		{"", ""},
	} {
		if got := strings.Join(Split(tt.in, ':', -1), "|"); got != tt.want {
			t.Errorf("Split(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// Without ${ a string is itself; an escaped one survives; nothing panics, and
// no value is expanded twice.
func FuzzString(f *testing.F) {
	for _, s := range []string{"${A}", "${A:-x}", "$${A}", "${A", "$", "${UNSET:+x}", "a$b${EMPTY-}", "${A:-${B}}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := String(s, env)
		if !strings.Contains(s, "${") && (err != nil || got != s) {
			t.Fatalf("String(%q) = %q, %v", s, got, err)
		}
		refs, rerr := Refs(s)
		if err == nil && rerr != nil {
			t.Fatalf("Refs(%q): %v", s, rerr)
		}
		for _, r := range refs {
			if r.Name == "" {
				t.Fatalf("Refs(%q): empty name", s)
			}
		}
		if back, err := String(Escape(s), env); err != nil || back != s {
			t.Fatalf("String(Escape(%q)) = %q, %v", s, back, err)
		}
	})
}
