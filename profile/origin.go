package profile

import (
	"fmt"
	"slices"
	"strings"

	"heretic/profile/schema"
)

// String is the place for people: file:line, the flag, or the word for where
// else it came from.
func (o Origin) String() string {
	switch {
	case o.Pos.Line > 0:
		return fmt.Sprintf("%s:%d", o.Pos.File, o.Pos.Line)
	case o.Flag != "":
		return o.Flag
	case o.Pos.File != "":
		return o.Pos.File
	default:
		return o.Layer
	}
}

// KeyOrigin is one resolved value with the place it came from.
type KeyOrigin struct {
	Path   string
	Value  string
	Secret bool // may be, or contain, a secret
	Origin Origin
}

// Mask is what stands for a secret value.
const Mask = "***"

// Shown is the value for output: masked when it may be a secret, unless
// reveal.
func (k KeyOrigin) Shown(reveal bool) string {
	if k.Secret && !reveal && k.Value != "" {
		return Mask
	}
	return k.Value
}

// sortOrigins puts the values in the order of the schema, and within a key in
// the order in which they were found. Those of the servers, which begin at the
// given index and may be many, are in order already.
func (r *resolver) sortOrigins(servers int) {
	rank := map[string]int{}
	for i, k := range schema.Profile() {
		rank[k.Path] = i
	}
	of := func(path string) int {
		for p := path; p != ""; {
			if i, ok := rank[p]; ok {
				return i
			}
			i := strings.LastIndexAny(p, ".[")
			p = p[:max(i, 0)]
		}
		return len(rank)
	}
	values := r.out.Origins[:servers:servers]
	slices.SortStableFunc(values, func(a, b KeyOrigin) int { return of(a.Path) - of(b.Path) })
	i := 0
	for i < len(values) && of(values[i].Path) <= rank["mcp"] {
		i++
	}
	r.out.Origins = slices.Concat(values[:i], r.out.Origins[servers:], values[i:])
}
