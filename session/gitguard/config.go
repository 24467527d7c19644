package gitguard

import (
	"strings"
)

// Entry is one variable of a git configuration file.
type Entry struct {
	// Section and Name are in lower case, as git compares them. Sub is the
	// subsection, as it is written.
	Section, Sub, Name string
	// HasSub tells an empty subsection from none.
	HasSub bool
	Value  string
}

// Key is the entry's full name, as `git config` takes it.
func (e Entry) Key() string {
	if e.HasSub {
		return e.Section + "." + e.Sub + "." + e.Name
	}
	return e.Section + "." + e.Name
}

// ParseConfig reads the variables of a git configuration file in order. It
// follows no include. What git would refuse is skipped to the end of its line:
// a file that git does not read runs nothing.
func ParseConfig(data []byte) []Entry {
	p := parser{in: strings.TrimPrefix(strings.ReplaceAll(string(data), "\r\n", "\n"), "\ufeff")}
	var entries []Entry
	var section Entry
	for p.space(); p.pos < len(p.in); p.space() {
		switch c := p.in[p.pos]; {
		case c == '#' || c == ';':
			p.line()
		case c == '[':
			section = p.header()
		case isAlpha(c):
			e := section
			e.Name, e.Value = p.variable()
			if e.Section != "" {
				entries = append(entries, e)
			}
		default:
			p.line()
		}
	}
	return entries
}

type parser struct {
	in  string
	pos int
}

func (p *parser) peek() byte {
	if p.pos < len(p.in) {
		return p.in[p.pos]
	}
	return '\n'
}

// space skips white space, line ends included.
func (p *parser) space() {
	for p.pos < len(p.in) && strings.IndexByte(" \t\n\r\v\f", p.in[p.pos]) >= 0 {
		p.pos++
	}
}

func (p *parser) blanks() {
	for c := p.peek(); c == ' ' || c == '\t'; c = p.peek() {
		p.pos++
	}
}

// line skips the rest of the line.
func (p *parser) line() {
	for p.pos < len(p.in) && p.in[p.pos] != '\n' {
		p.pos++
	}
}

// header reads [section], [section "sub"] and the old [section.sub].
func (p *parser) header() Entry {
	p.pos++
	start := p.pos
	for c := p.peek(); isAlpha(c) || isDigit(c) || c == '-' || c == '.'; c = p.peek() {
		p.pos++
	}
	e := Entry{Section: strings.ToLower(p.in[start:p.pos])}
	if section, sub, ok := strings.Cut(e.Section, "."); ok {
		e.Section, e.Sub, e.HasSub = section, sub, true
	}
	p.blanks()
	if p.peek() == '"' {
		p.pos++
		var sub strings.Builder
		for c := p.peek(); c != '"'; c = p.peek() {
			if c == '\\' {
				p.pos++
				c = p.peek()
			}
			if c == '\n' {
				return Entry{}
			}
			sub.WriteByte(c)
			p.pos++
		}
		p.pos++
		e.Sub, e.HasSub = e.Sub+sub.String(), true
	}
	if p.peek() != ']' {
		p.line()
		return Entry{}
	}
	p.pos++
	return e
}

// variable reads `name`, or `name = value` with quotes, escapes, comments and
// continued lines.
func (p *parser) variable() (name, value string) {
	start := p.pos
	for c := p.peek(); isAlpha(c) || isDigit(c) || c == '-'; c = p.peek() {
		p.pos++
	}
	name = strings.ToLower(p.in[start:p.pos])
	p.blanks()
	if p.peek() != '=' {
		p.line()
		return name, "true"
	}
	p.pos++
	p.blanks()
	var b strings.Builder
	kept := 0 // up to here trailing blanks belong to the value
	for quoted := false; p.pos < len(p.in); p.pos++ {
		c := p.in[p.pos]
		switch {
		case c == '\n':
			return name, b.String()[:kept]
		case c == '"':
			quoted = !quoted
			kept = b.Len()
			continue
		case c == '\\':
			p.pos++
			switch e := p.peek(); e {
			case '\n':
				continue
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case 'b':
				b.WriteByte('\b')
			default:
				b.WriteByte(e)
			}
			kept = b.Len()
			continue
		case (c == '#' || c == ';') && !quoted:
			p.line()
			return name, b.String()[:kept]
		}
		b.WriteByte(c)
		if quoted || c != ' ' && c != '\t' {
			kept = b.Len()
		}
	}
	return name, b.String()[:kept]
}

func isAlpha(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }
