package profile

import (
	"net/url"
	"slices"
	"strings"
)

// looksSecret tells by its name, or its form, that a variable of the host may
// be a secret.
func looksSecret(name, value string) bool {
	name = strings.ToUpper(name)
	for _, part := range []string{"TOKEN", "SECRET", "PASS", "KEY", "CREDENTIAL", "AUTH", "COOKIE", "DSN"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	if strings.HasSuffix(name, "_PAT") || strings.HasSuffix(name, "_PWD") {
		return true
	}
	u, err := url.Parse(value)
	if err != nil || u.User == nil {
		return false
	}
	_, has := u.User.Password()
	return has
}

// shortest is how long the value of a variable must be to be recognised as a
// secret where it turns up: "1" or "true" is everywhere.
const shortest = 6

// Mask replaces the secrets of the profile in a text that is shown.
func (p Profile) Mask(s string) string { return Hide(s, p.Hidden()) }

// Hidden are the values that are not shown.
func (p Profile) Hidden() []string {
	all := slices.Clone(p.Sensitive)
	for _, e := range p.Env {
		if e.Secret && len(e.Value) >= shortest {
			all = append(all, e.Value)
		}
	}
	for _, f := range p.SecretFiles {
		if f.Value != "" {
			all = append(all, f.Value)
		}
	}
	return all
}

// Hide replaces values in a text by [Mask]; the longest first, since one may
// be a part of another.
func Hide(s string, values []string) string {
	values = slices.SortedStableFunc(slices.Values(values), func(a, b string) int { return len(b) - len(a) })
	for _, v := range values {
		s = strings.ReplaceAll(s, v, Mask)
	}
	return s
}
