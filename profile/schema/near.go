package schema

import (
	"slices"
	"strings"
)

// Near returns the candidates that word may be a slip of, nearest first.
func Near(word string, candidates []string) []string {
	type scored struct {
		name string
		dist int
	}
	var near []scored
	w := fold(word)
	for _, c := range candidates {
		f := fold(c)
		d := distance(w, f)
		if len(w) >= 3 && (strings.HasPrefix(f, w) || strings.HasPrefix(w, f)) && len(f) >= 3 {
			d = min(d, 1)
		}
		if d <= max(1, min(len(w), len(f))/3) {
			near = append(near, scored{c, d})
		}
	}
	slices.SortStableFunc(near, func(a, b scored) int {
		if a.dist != b.dist {
			return a.dist - b.dist
		}
		return strings.Compare(a.name, b.name)
	})
	names := make([]string, len(near))
	for i, n := range near {
		names[i] = n.name
	}
	return names
}

// fold makes agentType, agent-type and agent_type one word.
func fold(s string) string {
	if len(s) > 64 {
		s = s[:64]
	}
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s))
}

// distance counts insertions, deletions, replacements and swaps of neighbours
// between a and b.
func distance(a, b string) int {
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
