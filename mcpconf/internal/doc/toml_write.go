package doc

import (
	"bytes"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// TOMLTables writes one table below key for each name; what is nested in an
// entry is written inline.
func TOMLTables(key string, names []string, entries []*yaml.Node) []byte {
	var b bytes.Buffer
	for i, name := range names {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.Write(TOMLTable([]string{key, name}, entries[i]))
	}
	return b.Bytes()
}

// TOMLTable writes one table, whose members are not tables but for inline
// ones.
func TOMLTable(path []string, entry *yaml.Node) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "[%s]\n", TOMLKey(path...))
	for i := 0; i+1 < len(entry.Content); i += 2 {
		b.WriteString(TOMLKey(entry.Content[i].Value))
		b.WriteString(" = ")
		writeTOML(&b, entry.Content[i+1])
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// TOMLValue writes one value, on one line.
func TOMLValue(n *yaml.Node) string {
	var b bytes.Buffer
	writeTOML(&b, n)
	return b.String()
}

func writeTOML(b *bytes.Buffer, n *yaml.Node) {
	switch n.Kind {
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, c := range n.Content {
			if i > 0 {
				b.WriteString(", ")
			}
			writeTOML(b, c)
		}
		b.WriteByte(']')
	case yaml.MappingNode:
		b.WriteByte('{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(b, " %s = ", TOMLKey(n.Content[i].Value))
			writeTOML(b, n.Content[i+1])
		}
		b.WriteString(" }")
	default:
		if n.Tag == TagString {
			b.WriteString(tomlString(n.Value))
		} else {
			b.WriteString(n.Value)
		}
	}
}

// TOMLKey writes a dotted key, with quotes where they are needed.
func TOMLKey(path ...string) string {
	parts := make([]string, len(path))
	for i, p := range path {
		bare := p != "" && strings.IndexFunc(p, func(r rune) bool {
			return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
		}) < 0
		if bare {
			parts[i] = p
		} else {
			parts[i] = tomlString(p)
		}
	}
	return strings.Join(parts, ".")
}

func tomlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
