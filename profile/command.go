package profile

import "strings"

// SplitCommand splits a command of the host into words, as a shell does with
// quotes and backslashes. In a path on a Windows drive a backslash stands for
// itself.
func SplitCommand(s string) ([]string, error) { return splitWords(escapeDrives(s)) }

// escapeDrives doubles the backslashes of the words that begin with a drive.
func escapeDrives(s string) string {
	var b strings.Builder
	begins, drive, quote := true, false, byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		b.WriteByte(c)
		switch {
		case quote == 0 && strings.IndexByte(" \t\r\n", c) >= 0:
			begins, drive = true, false
			continue
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
			continue // the word begins behind it
		case quote == c:
			quote = 0
		case begins:
			drive = isDrive(s[i:])
		case c != '\\' || quote == '\'':
		case drive:
			b.WriteByte(c)
		}
		if c == '\\' && !drive && quote != '\'' && i+1 < len(s) {
			i++ // an escaped quote is none
			b.WriteByte(s[i])
		}
		begins = false
	}
	return b.String()
}

// QuoteWord writes one word of a command, such that [SplitCommand] returns it.
func QuoteWord(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("/._-+:@%=,~", r) || r == '\\' && isDrive(word)
	}
	switch {
	case word != "" && strings.TrimLeftFunc(word, plain) == "":
		return word
	case !strings.Contains(word, "'"):
		return "'" + word + "'"
	case isDrive(word) && !strings.Contains(word, `"`), !strings.ContainsAny(word, `"\`):
		return `"` + word + `"`
	}
	// Never by a backslash, which might make a drive of what is none.
	return "'" + strings.ReplaceAll(word, "'", `'"'"'`) + "'"
}
