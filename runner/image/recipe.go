package image

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// DefaultBase is the base image, and where other bases get node from.
const DefaultBase = "node:24-bookworm-slim"

// The oldest node that all agents run on, and the id that the user `agent`
// gets where heretic is run by root or on a system without user ids.
const (
	minNode   = 22
	defaultID = 1000
)

// Options are what the user asks of an image.
type Options struct {
	Agents []string // agent types
	// Base is a Debian or Ubuntu image; empty is DefaultBase.
	Base string
	// Node is the image that node and npm are copied from. Empty: from
	// DefaultBase, unless the base is a node image by its name. "base": the
	// base has them.
	Node string
	// With are npm packages of MCP servers: name or name@version.
	With []string
	// Versions replace the version of an agent's package.
	Versions map[string]string
	// UID and GID are the ids of the user `agent`. Zero and below stand for
	// 1000.
	UID, GID int
	// Homes are the directories below the user's home that are made for it.
	Homes []string
}

// Recipe is a checked description of an image.
type Recipe struct {
	Programs []Program
	Base     string
	Node     string // empty: the base's own
	With     []string
	UID, GID int
	Homes    []string
}

// hintError is an error with what to type next.
type hintError struct{ text, hint string }

func (e *hintError) Error() string { return e.text }
func (e *hintError) Hint() string  { return e.hint }

// New checks the options and completes them.
func New(o Options) (Recipe, error) {
	r := Recipe{Base: o.Base, UID: o.UID, GID: o.GID, Homes: o.Homes}
	if r.Base == "" {
		r.Base = DefaultBase
	}
	if r.UID <= 0 {
		r.UID = defaultID
	}
	if r.GID <= 0 {
		r.GID = defaultID
	}
	var err error
	if r.Node, err = nodeSource(r.Base, o.Node); err != nil {
		return Recipe{}, err
	}
	if err := checkReference("base", r.Base); err != nil {
		return Recipe{}, err
	}
	if r.Programs, err = programs(o.Agents, o.Versions); err != nil {
		return Recipe{}, err
	}
	for _, spec := range o.With {
		if err := checkPackage(spec); err != nil {
			return Recipe{}, err
		}
		if !slices.Contains(r.With, spec) {
			r.With = append(r.With, spec)
		}
	}
	for _, dir := range o.Homes {
		if dir == "" || strings.Contains(dir, "..") || !only(dir, "/._-") {
			return Recipe{}, fmt.Errorf("directory %q cannot be made below the home of the image's user", dir)
		}
	}
	return r, nil
}

// programs are the rows of the agents, in the order of the table, so that the
// order of the arguments makes no other image.
func programs(agents []string, versions map[string]string) ([]Program, error) {
	if len(agents) == 0 {
		return nil, &hintError{"no agent type is named", "one or more of " + strings.Join(Agents(), ", ")}
	}
	for _, name := range agents {
		p, ok := lookup(name)
		if !ok {
			return nil, &hintError{fmt.Sprintf("unknown agent type %q", name), "one of " + strings.Join(Agents(), ", ")}
		}
		if p.Missing != "" {
			return nil, &hintError{"there is no image to build for " + name + ": " + p.Missing, p.Instead}
		}
	}
	for name, version := range versions {
		p, ok := lookup(name)
		if !ok || !slices.Contains(agents, name) {
			return nil, &hintError{fmt.Sprintf("a version is given for %q, which is not one of the agents to install", name),
				"write it like --version " + agents[0] + "=1.2.3"}
		}
		if p.Package == "" {
			return nil, fmt.Errorf("%s has no package, and so no version", name)
		}
		if !exact(version) {
			return nil, &hintError{fmt.Sprintf("version %q of %s is not exact", version, name),
				"write it like 1.2.3; `npm view " + p.Package + " version` shows the newest"}
		}
	}
	var list []Program
	for _, p := range Programs() {
		if !slices.Contains(agents, p.Agent) {
			continue
		}
		if v := versions[p.Agent]; v != "" {
			p.Version = v
		}
		list = append(list, p)
	}
	return list, nil
}

// nodeSource is the image to copy node from, or empty.
func nodeSource(base, asked string) (string, error) {
	switch asked {
	case "base":
		return "", nil
	case "":
		if isNode(base) {
			return "", nil
		}
		return DefaultBase, nil
	}
	return asked, checkReference("node", asked)
}

// isNode tells whether a reference names a node image that is new enough:
// node:24-bookworm, node:lts-slim, mirror.example/library/node.
func isNode(ref string) bool {
	ref, _, _ = strings.Cut(ref, "@")
	name := ref[strings.LastIndex(ref, "/")+1:]
	name, tag, _ := strings.Cut(name, ":")
	if name != "node" || strings.Contains(tag, "alpine") {
		return false
	}
	digits := tag
	if i := strings.IndexFunc(tag, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		digits = tag[:i]
	}
	major, err := strconv.Atoi(digits)
	return err != nil || major >= minNode
}

func checkReference(flag, ref string) error {
	if ref == "" || !only(ref, "/._-:@") || strings.HasPrefix(ref, "-") {
		return fmt.Errorf("--%s %q is not the name of an image", flag, ref)
	}
	return nil
}

// checkPackage accepts name, name@version, @scope/name and @scope/name@version
// of npm: nothing that a shell or npm would take for something else.
func checkPackage(spec string) error {
	bad := &hintError{fmt.Sprintf("%q is not an npm package", spec), "write it like @modelcontextprotocol/server-memory, with @1.2.3 behind it for a version"}
	name, version, versioned := spec, "", false
	if i := strings.LastIndex(spec, "@"); i > 0 {
		name, version, versioned = spec[:i], spec[i+1:], true
	}
	scope, rest, scoped := strings.Cut(name, "/")
	if !scoped {
		scope, rest = "@x", name
	}
	switch {
	case !strings.HasPrefix(scope, "@"), len(scope) < 2, !only(scope[1:], "._-"),
		rest == "", strings.HasPrefix(rest, "."), strings.HasPrefix(rest, "-"), !only(rest, "._-"),
		versioned && (version == "" || !only(version, "._-+")):
		return bad
	}
	return nil
}

// exact tells whether v is a whole version, not a range or a tag.
func exact(v string) bool {
	core, _, _ := strings.Cut(v, "-")
	core, _, _ = strings.Cut(core, "+")
	parts := strings.Split(core, ".")
	for _, p := range parts {
		if _, err := strconv.ParseUint(p, 10, 64); err != nil {
			return false
		}
	}
	return len(parts) == 3 && only(v, "._-+")
}

// only tells whether s has letters and digits of ASCII and the extra bytes
// alone.
func only(s, extra string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && strings.IndexByte(extra, c) < 0 {
			return false
		}
	}
	return true
}

// Hash names the content of the image: the same for the same Dockerfile.
func (r Recipe) Hash() string {
	sum := sha256.Sum256([]byte(text(r.body())))
	return hex.EncodeToString(sum[:])[:12]
}

// Tags are the names that the image gets: one of its content, and for each of
// its agents the one that [For] returns.
func (r Recipe) Tags() []string {
	var names []string
	for _, p := range r.Programs {
		names = append(names, p.Agent)
	}
	tags := []string{"heretic/" + strings.Join(names, "-") + ":" + r.Hash()}
	for _, name := range names {
		tags = append(tags, For(name, r.UID))
	}
	return tags
}

// For is the image that a profile's `image: build` stands for: the one built
// last that has the agent and whose user has that id.
func For(agent string, uid int) string {
	if uid <= 0 {
		uid = defaultID
	}
	return fmt.Sprintf("heretic/%s:uid%d", agent, uid)
}
