// Package profiletest has what the tests of profiles share.
package profiletest

import "strings"

// Neutral writes the paths below dir as $D/..., the same on every system.
func Neutral(text, dir string) string {
	parts := strings.Split(strings.ReplaceAll(text, dir, "$D"), "$D")
	for i, part := range parts[1:] {
		end := strings.IndexAny(part, "|: \t\r\n\"',;)")
		if end < 0 {
			end = len(part)
		}
		parts[i+1] = strings.ReplaceAll(part[:end], `\`, "/") + part[end:]
	}
	return strings.Join(parts, "$D")
}
