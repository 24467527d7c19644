package trust

import (
	"fmt"
	"slices"
	"strings"
)

// maxNames is how many variables of a file are shown.
const maxNames = 20

// some lists names of variables: where there are too many, those first that
// say where a program connects, what it runs, or who it is.
func some(names []string) string {
	if len(names) <= maxNames {
		return strings.Join(names, ", ")
	}
	sorted := slices.Clone(names)
	slices.SortStableFunc(sorted, func(a, b string) int { return rank(a) - rank(b) })
	return fmt.Sprintf("%s and %d more variables", strings.Join(sorted[:maxNames], ", "), len(names)-maxNames)
}

// rank is 0 for a variable that may change what the agent or git does.
func rank(name string) int {
	name = strings.ToUpper(name)
	for _, part := range []string{"URL", "PROXY", "HOST", "ENDPOINT", "TOKEN", "KEY", "SECRET", "PATH", "OPTIONS", "PRELOAD", "GIT_", "SSH", "COMMAND"} {
		if strings.Contains(name, part) {
			return 0
		}
	}
	return 1
}
