package session

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

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
