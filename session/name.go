package session

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// NameRule is what a session's or an agent's name must look like.
const NameRule = "letters, digits, '_', '.' and '-', at most 63, the first a letter or a digit"

// CheckName refuses a name that is not [A-Za-z0-9][A-Za-z0-9_.-]{0,62}. What
// names the thing in the message: "session", "agent".
func CheckName(what, name string) error {
	if !validName(name) {
		return withHint("use "+NameRule, "invalid %s name %q: it must match [A-Za-z0-9][A-Za-z0-9_.-]{0,62}", what, name)
	}
	return nil
}

func validName(name string) bool {
	if len(name) == 0 || len(name) > 63 {
		return false
	}
	for i := range len(name) {
		c := name[i]
		alnum := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !alnum && (i == 0 || !strings.ContainsRune("_.-", rune(c))) {
			return false
		}
	}
	return true
}

// ContainerName is the name of a session's container: a session is unique in
// its project, so the project's real path is part of it as a hash.
func ContainerName(session, project string) string {
	return "heretic-" + session + "-" + hash8(project)
}

func hash8(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:])[:8]
}

// hostname is a constant name for the container of a session: some agents
// encrypt their login with the host's name. Only letters, digits and '-' are
// safe in one.
func hostname(session string) string {
	h := strings.Map(func(r rune) rune {
		if r == '_' || r == '.' {
			return '-'
		}
		return r
	}, "heretic-"+session)
	return strings.TrimRight(h[:min(len(h), 63)], "-")
}
