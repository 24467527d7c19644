package profile

import (
	"fmt"
	"strings"

	"heretic/profile/schema"
)

// CheckName refuses a name that cannot be that of an agent, nor, by the same
// rule, of a session: both become names of files and containers. what is the
// word for it in the text.
func CheckName(what, name string) error {
	ok := len(name) > 0 && len(name) <= 63
	for i := range len(name) {
		c := name[i]
		alnum := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		ok = ok && (alnum || i > 0 && (c == '_' || c == '.' || c == '-'))
	}
	if ok {
		return nil
	}
	if len(name) > 80 {
		name = name[:80] + "..."
	}
	return &hinted{
		err:  fmt.Errorf("invalid %s name %q: it must match [A-Za-z0-9][A-Za-z0-9_.-]{0,62}", what, name),
		hint: "use letters, digits, '_', '.' and '-', at most 63, the first a letter or a digit",
	}
}

// UnknownAgentError is returned for a name that no profile has.
type UnknownAgentError struct {
	Name  string
	Known []string // every known name, in order
	Near  []string // those that Name may be a slip of, nearest first
	Dir   string   // where global profiles are
}

func (e *UnknownAgentError) Error() string { return fmt.Sprintf("no such agent: %q", e.Name) }

// Hint names the nearest agents, or says how to get one.
func (e *UnknownAgentError) Hint() string {
	switch {
	case len(e.Near) > 0:
		return "did you mean " + strings.Join(e.Near, " or ") + "? (heretic agents list)"
	case len(e.Known) > 0:
		return "known agents: " + strings.Join(e.Known, ", ") + "; a new one: heretic agents add " + e.Name
	default:
		return "there is no profile yet; make the first one with: heretic init"
	}
}

func near(name string, known []string) []string {
	n := schema.Near(name, known)
	return n[:min(3, len(n))]
}

// hinted is an error with what to type next.
type hinted struct {
	err  error
	hint string
}

func (e *hinted) Error() string { return e.err.Error() }
func (e *hinted) Unwrap() error { return e.err }
func (e *hinted) Hint() string  { return e.hint }
