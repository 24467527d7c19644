// Package dotenv reads files of variables: NAME=value lines, with an optional
// `export`, comments, and quotes as a shell has them. A value is what is
// written: no variable is replaced in it, so a password with a $ stays whole.
package dotenv

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Var is one variable. One without a = has no value of its own: it stands for
// the host's.
type Var struct {
	Name, Value string
	Host        bool
	Line        int
}

// Error is what is wrong in a line. It never shows a value.
type Error struct {
	Line int
	Msg  string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Msg) }

// Parse reads the variables in the order of the file. Of two with one name the
// last one counts; both are returned.
func Parse(data []byte) ([]Var, error) {
	text := strings.TrimPrefix(string(data), "\uFEFF")
	if !utf8.ValidString(text) {
		return nil, &Error{1, "not UTF-8 text"}
	}
	if strings.ContainsRune(text, 0) {
		return nil, &Error{1, "there is a NUL in it"}
	}
	p := parser{rest: strings.ReplaceAll(text, "\r\n", "\n"), line: 1}
	var vars []Var
	for p.rest != "" {
		v, ok, err := p.variable()
		if err != nil {
			return nil, err
		}
		if ok {
			vars = append(vars, v)
		}
	}
	return vars, nil
}

type parser struct {
	rest string
	line int
}

// take returns the next n bytes and counts their lines.
func (p *parser) take(n int) string {
	s := p.rest[:n]
	p.line += strings.Count(s, "\n")
	p.rest = p.rest[n:]
	return s
}

// variable reads one line, or the lines that a quoted value spans.
func (p *parser) variable() (v Var, ok bool, err error) {
	end := strings.IndexByte(p.rest, '\n') + 1
	if end == 0 {
		end = len(p.rest)
	}
	line := strings.TrimSpace(p.rest[:end])
	if line == "" || line[0] == '#' {
		p.take(end)
		return v, false, nil
	}
	v.Line = p.line
	name, _, has := strings.Cut(line, "=")
	name = strings.TrimSpace(name)
	if word, ok := strings.CutPrefix(name, "export"); ok && word != strings.TrimLeft(word, " \t") {
		name = strings.TrimSpace(word)
	}
	if !has {
		name, _, _ = strings.Cut(name, " #")
		name = strings.TrimSpace(name)
	}
	if name == "" || strings.ContainsAny(name, " \t\"'#$") {
		return v, false, &Error{v.Line, "expected NAME=value"}
	}
	v.Name = name
	if !has {
		v.Host = true
		p.take(end)
		return v, true, nil
	}
	p.take(strings.IndexByte(p.rest, '=') + 1)
	p.take(len(p.rest) - len(strings.TrimLeft(p.rest, " \t")))
	v.Value, err = p.value(v.Line)
	return v, err == nil, err
}

// value reads what is behind the =, to the end of its line.
func (p *parser) value(line int) (string, error) {
	if p.rest == "" || p.rest[0] != '"' && p.rest[0] != '\'' {
		raw, _, _ := strings.Cut(p.rest, "\n")
		p.take(min(len(raw)+1, len(p.rest)))
		return unquoted(raw), nil
	}
	quote := p.rest[0]
	var b strings.Builder
	i := 1
	for ; ; i++ {
		if i >= len(p.rest) {
			return "", &Error{line, "a quote is not closed"}
		}
		c := p.rest[i]
		if c == quote {
			break
		}
		if c == '\\' && quote == '"' && i+1 < len(p.rest) {
			i++
			b.WriteString(unescape(p.rest[i]))
			continue
		}
		b.WriteByte(c)
	}
	p.take(i + 1)
	tail, _, _ := strings.Cut(p.rest, "\n")
	p.take(min(len(tail)+1, len(p.rest)))
	if tail = strings.TrimSpace(tail); tail != "" && tail[0] != '#' {
		return "", &Error{line, "there is text behind the closing quote"}
	}
	return b.String(), nil
}

// unquoted ends at a comment that a space comes before.
func unquoted(s string) string {
	for i := range len(s) {
		if s[i] == '#' && (i == 0 || s[i-1] == ' ' || s[i-1] == '\t') {
			s = s[:i]
			break
		}
	}
	return strings.TrimSpace(s)
}

// unescape is what a backslash and c stand for in double quotes.
func unescape(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 'r':
		return "\r"
	case 't':
		return "\t"
	case '"', '\\', '$', '`':
		return string(c)
	case '\n':
		return ""
	default:
		return string([]byte{'\\', c})
	}
}
