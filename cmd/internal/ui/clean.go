package ui

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes text that comes from elsewhere harmless on a terminal: control
// characters, invalid UTF-8 and the invisible characters that reorder text are
// shown as Go escapes. Line ends are escaped as well.
func Clean(s string) string {
	if !strings.ContainsFunc(s, hidden) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if hidden(r) || (r == utf8.RuneError && n == 1) {
			quoted := strconv.QuoteToASCII(s[:n])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

// CleanLines is Clean for text of several lines: line ends and tabs stay.
func CleanLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		cells := strings.Split(line, "\t")
		for j := range cells {
			cells[j] = Clean(cells[j])
		}
		lines[i] = strings.Join(cells, "\t")
	}
	return strings.Join(lines, "\n")
}
