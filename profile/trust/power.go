// Package trust decides what the text that comes with a project may do without
// the user's word.
//
// [Powers] computes what that text asks for: a pure function of the merged
// layers. [Store] remembers what the user approved, and [Store.Compare] says
// what is new. The rule follows the origin of the text: a server in the
// project's .vscode/mcp.json is the project's, also when the user's own profile
// names that file.
package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"heretic/mcpconf"
)

// Power is one thing that the project's text asks for.
type Power struct {
	Kind   string      `json:"kind"` // the key, or "mcp server", "folder"
	Path   string      `json:"path"` // key path, or path below the project
	What   string      `json:"what"` // for people; secrets masked
	Digest string      `json:"digest"`
	Pos    mcpconf.Pos `json:"-"`
	// Free powers need no approval to apply. What depends on it (a server
	// that the agent runs without asking, trust of the folder) does.
	Free bool `json:"free,omitempty"`
	// Override tells that the project's override asks for it: without the
	// override nobody would.
	Override bool `json:"-"`
}

// Approvable tells whether an approval could be remembered. What could not be
// read, or is too large, has no digest to know it by.
func (p Power) Approvable() bool { return p.Digest != "" }

// The kinds of powers that are no keys of a profile.
const (
	ServerKind = "mcp server"
	FolderKind = "folder"
)

// newPower makes a power. full is all of what it asks for, with its
// destination; nothing else goes into the digest, so that comments, quoting
// and places do not count.
func newPower(kind, path, what, full string, pos mcpconf.Pos) Power {
	sum := sha256.Sum256([]byte(strings.Join([]string{kind, path, full}, "\x00")))
	return Power{Kind: kind, Path: path, What: what, Digest: hex.EncodeToString(sum[:]), Pos: pos}
}

// Hash is one hash of all powers; their order does not count.
func Hash(powers []Power) string {
	digests := make([]string, len(powers))
	for i, p := range powers {
		digests[i] = p.Digest
	}
	slices.Sort(digests)
	sum := sha256.Sum256([]byte(strings.Join(digests, "\n")))
	return hex.EncodeToString(sum[:])
}
