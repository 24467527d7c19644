package profile

import (
	"net/url"
	"strings"

	"gopkg.in/yaml.v3"

	"heretic/profile/internal/expand"
)

// MaskText shows a value as it is written when it is nothing but a reference,
// alone or behind the word of an authorization scheme, and the host of a URL;
// anything else may be a secret.
func MaskText(s string) string {
	ref := s
	if scheme, rest, ok := strings.Cut(s, " "); ok {
		switch strings.ToLower(scheme) {
		case "bearer", "basic", "token":
			ref = rest
		}
	}
	if r, ok := expand.Sole(ref); s == "" || ok && r.Arg == "" {
		return s
	}
	if u, err := url.Parse(s); err == nil && u.Host != "" && u.Scheme != "" {
		rest := ""
		if u.User != nil || u.RawQuery != "" || strings.Trim(u.Path, "/") != "" {
			rest = "/" + Mask
		}
		return u.Scheme + "://" + u.Host + rest
	}
	return Mask
}

// MaskSecret shows where a secret comes from: a script or a variable, but not
// a literal.
func MaskSecret(n *yaml.Node) string {
	src := readSecret(n)
	if name, ok := strings.CutPrefix(src.text, "$"); isScript(src.text) || ok && isVarName(name) {
		return src.text
	}
	return MaskText(src.text)
}
