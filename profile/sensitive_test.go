package profile

import "testing"

func TestLooksSecret(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        bool
	}{
		{"GH_TOKEN", "x", true}, {"api_key", "x", true}, {"DB_PASSWORD", "x", true}, {"MY_PAT", "x", true}, {"DB_PWD", "x", true},
		{"PWD", "/x", false}, {"PATH", "/x", false}, {"EDITOR", "vi", false}, {"URL", "https://host/x", false}, {"URL", "https://me@host/x", false},
		{"URL", "https://me:pw@host/x", true}, {"X", "not: a %zz url", false},
	} {
		if got := looksSecret(c.name, c.value); got != c.want {
			t.Errorf("%s=%s: %v", c.name, c.value, got)
		}
	}
}

// A secret that is a part of another does not leave the rest of it; a short
// value of env is everywhere.
func TestHidden(t *testing.T) {
	p := Profile{
		Sensitive: []string{"abc", "abcdef"}, SecretFiles: []SecretFile{{Name: "F", Value: "file"}},
		Env: []EnvVar{{Name: "A", Value: "long-enough", Secret: true}, {Name: "B", Value: "1", Secret: true}, {Name: "C", Value: "known-to-all"}},
	}
	if got := p.Mask("abcdef abc file long-enough 1 known-to-all"); got != "*** *** *** *** 1 known-to-all" {
		t.Error(got)
	}
}
