package schema

import "strings"

// Type is the shape a key's value has in YAML.
type Type string

// The types of keys.
const (
	String    Type = "string"
	Scalar    Type = "string or number" // kept as written
	Bool      Type = "boolean"
	Size      Type = "size"                   // 4g, 512m, or bytes
	Count     Type = "number"                 // decimal
	Words     Type = "string or list"         // a string is split as a shell would
	List      Type = "list of strings"        // numbers are kept as written
	OneOrList Type = "string or list of them" // a string is one element
	Map       Type = "map of strings"         // numbers and booleans are kept as written
	Env       Type = "map of strings or null" // null passes the host's value
	Secrets   Type = "map of secrets"
	Volumes   Type = "list of volumes"
	Servers   Type = "list of servers"
	Object    Type = "map" // its keys are rows of the table
)

// Rule says what a later layer's value does to an earlier one's.
type Rule string

// The rules between layers.
const (
	Replace Rule = "replace"
	ByKey   Rule = "merge by key"
	// Unit is the rule of mcp and mcp_file: a layer that has either of them
	// replaces both.
	Unit Rule = "replace servers"
	None Rule = "-"
)

// Reach says what a project's override may do with a key without the user's
// approval.
type Reach int

const (
	// Asks: every value needs the user's approval.
	Asks Reach = iota
	// Free: applies at once, since it stays inside the sandbox.
	Free
	// Downwards: a limit, free when it is not above what the layers below set.
	Downwards
	// FreeTrue: true is free, false asks.
	FreeTrue
	// FreeFalse: false is free, true asks.
	FreeFalse
	// Own: the key has its own rule (volumes, mcp, extends, ...).
	Own
)

// Key is one row: a key that a profile may have.
type Key struct {
	Path    string // "image", "extra.network", "git.token"
	Type    Type
	Rule    Rule
	Values  []string // what it may be; nil: anything of its type
	Default string   // as written in YAML; empty: none
	Reach   Reach
	// Unset is the engine's own limit where no layer sets one; empty: none.
	Unset   string
	Doc     string
	Example string // YAML, optional
}

// Name is the last part of the key's path.
func (k Key) Name() string { return k.Path[strings.LastIndexByte(k.Path, '.')+1:] }

// Table is the rows of one kind of file.
type Table []Key

// Lookup returns the row of a path.
func (t Table) Lookup(path string) (Key, bool) {
	for _, k := range t {
		if k.Path == path {
			return k, true
		}
	}
	return Key{}, false
}

// Below returns the rows directly below parent; "" stands for the top.
func (t Table) Below(parent string) []Key {
	var keys []Key
	for _, k := range t {
		dir := ""
		if i := strings.LastIndexByte(k.Path, '.'); i >= 0 {
			dir = k.Path[:i]
		}
		if dir == parent {
			keys = append(keys, k)
		}
	}
	return keys
}

// Nearest returns the known key that an unknown one below parent most likely
// meant, as a path; "" when none is near. A key that exists in another map is
// near too: `memory` at the top means `extra.memory`.
func (t Table) Nearest(parent, key string) string {
	rows := t.Below(parent)
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = r.Name()
	}
	if near := Near(key, names); len(near) > 0 {
		return Child(parent, near[0])
	}
	for _, r := range t {
		if strings.EqualFold(r.Name(), key) {
			return r.Path
		}
	}
	return ""
}
