package yamledit

import (
	"bytes"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// lineStarts finds the lines as YAML 1.1 counts them.
func lineStarts(text []byte) []int {
	lines := []int{0}
	for i := 0; i < len(text); {
		n := lineBreak(text[i:])
		if n > 0 {
			lines = append(lines, i+n)
		}
		i += max(n, 1)
	}
	return lines
}

// lineBreak is the length of the line break that text begins with.
func lineBreak(text []byte) int {
	for _, b := range []string{"\r\n", "\n", "\r", "\u0085", "\u2028", "\u2029"} {
		if bytes.HasPrefix(text, []byte(b)) {
			return len(b)
		}
	}
	return 0
}

// offset is where a node starts. Columns count characters.
func (d *document) offset(n *yaml.Node) int {
	if n.Line < 1 || n.Line > len(d.lines) {
		return len(d.text)
	}
	at := d.lines[n.Line-1]
	for range n.Column - 1 {
		_, size := utf8.DecodeRune(d.text[at:])
		at += size
	}
	return min(at, len(d.text))
}

// lineStart and lineEnd are the bounds of the line that an offset is in; the
// line break is not part of it.
func (d *document) lineStart(at int) int {
	start := 0
	for _, l := range d.lines {
		if l > at {
			break
		}
		start = l
	}
	return start
}

func (d *document) lineEnd(at int) int {
	for at < len(d.text) && lineBreak(d.text[at:]) == 0 {
		at++
	}
	return at
}

// bodyEnd is where the document ends: before a line of three dots.
func (d *document) bodyEnd() int {
	for _, at := range d.lines {
		if bytes.HasPrefix(d.text[at:], []byte("...")) {
			return at
		}
	}
	return len(d.text)
}

// nextLine is the start of the line after the one that at is in.
func (d *document) nextLine(at int) int {
	at = d.lineEnd(at)
	return at + lineBreak(d.text[at:])
}

// end is where a node ends: after its last character that is not a comment or
// blank. limit is where the next node starts, or the collection ends.
func (d *document) end(n *yaml.Node, limit int, flow bool) int {
	start := d.offset(n)
	switch {
	case n.Kind == yaml.AliasNode:
		return d.token(start)
	case n.Kind == yaml.ScalarNode:
		return d.scalarEnd(n, start, limit, flow)
	case n.Style&yaml.FlowStyle != 0:
		return d.bracketEnd(d.skipProperties(start), limit)
	case len(n.Content) == 0:
		return start
	}
	last := spot{node: n.Content[len(n.Content)-1], parent: n, at: len(n.Content) - 1, limit: limit}
	if n.Kind == yaml.MappingNode {
		last.key = n.Content[last.at-1]
	}
	return d.valueEnd(last)
}

// skipProperties steps over &anchor and !tag.
func (d *document) skipProperties(at int) int {
	for at < len(d.text) && (d.text[at] == '&' || d.text[at] == '!') {
		at = d.token(at)
		for at < len(d.text) && (isBlank(d.text[at]) || d.text[at] == '\n' || d.text[at] == '\r') {
			at++
		}
	}
	return at
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// token is the end of a word.
func (d *document) token(at int) int {
	for at < len(d.text) && !isBlank(d.text[at]) && lineBreak(d.text[at:]) == 0 && !bytes.ContainsRune([]byte(",[]{}"), rune(d.text[at])) {
		at++
	}
	return at
}

func (d *document) scalarEnd(n *yaml.Node, start, limit int, flow bool) int {
	if isNull(n) && n.Value == "" {
		return start
	}
	at := d.skipProperties(start)
	switch {
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		return d.quoteEnd(at)
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return d.trimEnd(at, limit, false)
	case flow:
		return d.plainFlowEnd(at, limit)
	}
	return d.trimEnd(at, limit, true)
}

// quoteEnd is after the closing quote.
func (d *document) quoteEnd(at int) int {
	quote := d.text[at]
	for at++; at < len(d.text); at++ {
		switch c := d.text[at]; {
		case c == '\\' && quote == '"':
			at++
		case c == quote && quote == '\'' && at+1 < len(d.text) && d.text[at+1] == quote:
			at++
		case c == quote:
			return at + 1
		}
	}
	return at
}

// bracketEnd is after the bracket that closes the one at at.
func (d *document) bracketEnd(at, limit int) int {
	depth := 0
	for ; at < limit; at++ {
		switch c := d.text[at]; {
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			if depth--; depth == 0 {
				return at + 1
			}
		case (c == '"' || c == '\'') && d.opensValue(at):
			at = d.quoteEnd(at) - 1
		case c == '#' && isSpaceBefore(d.text, at):
			at = d.lineEnd(at)
		}
	}
	return limit
}

// opensValue tells whether a quote at at begins a quoted scalar: inside of a
// plain one it is a character like others.
func (d *document) opensValue(at int) bool {
	for at--; at >= 0; at-- {
		c := d.text[at]
		if isBlank(c) || c == '\n' || c == '\r' {
			continue
		}
		return c == ',' || c == '[' || c == '{' || c == ':' || c == '?'
	}
	return true
}

func isSpaceBefore(text []byte, at int) bool {
	return at == 0 || isBlank(text[at-1]) || text[at-1] == '\n' || text[at-1] == '\r'
}

func (d *document) plainFlowEnd(at, limit int) int {
	end := at
	for ; at < limit; at++ {
		c := d.text[at]
		if c == ',' || c == ']' || c == '}' || c == '[' || c == '{' || c == '#' && isSpaceBefore(d.text, at) {
			break
		}
		if c == ':' && (at+1 >= limit || isBlank(d.text[at+1]) || lineBreak(d.text[at+1:]) > 0) {
			break
		}
		if !isBlank(c) && c != '\n' && c != '\r' {
			end = at + 1
		}
	}
	return end
}

// trimEnd is limit less blank lines, comment lines and a comment behind the
// last line. comments is false for a block scalar, whose lines may look like
// comments: there only lines that are indented less than its text are left out.
func (d *document) trimEnd(start, limit int, comments bool) int {
	first := d.lineStart(start)
	indent := -1
	if !comments {
		indent = d.blockIndent(start)
	}
	for limit > first {
		line := d.lineStart(limit - 1)
		text := bytes.TrimRight(d.text[line:limit], " \t\r\n")
		body := bytes.TrimLeft(text, " \t")
		switch {
		case len(body) == 0, comments && body[0] == '#' && line > first, !comments && line > first && len(text)-len(body) < indent:
			limit = line
			continue
		}
		end := line + len(text)
		if comments || line == first {
			end = d.cutComment(max(line, start), end)
		}
		return end
	}
	return start
}

// blockIndent is the indentation of the first line of a block scalar's text.
func (d *document) blockIndent(start int) int {
	for at := d.nextLine(start); at < len(d.text); at = d.nextLine(at) {
		line := d.text[at:d.lineEnd(at)]
		if body := bytes.TrimLeft(line, " "); len(body) > 0 {
			return len(line) - len(body)
		}
		if d.nextLine(at) == at {
			break
		}
	}
	return 0
}

// cutComment takes a comment off the end of a line of a plain scalar.
func (d *document) cutComment(from, to int) int {
	for at := from; at < to; at++ {
		if d.text[at] == '#' && at > from && isBlank(d.text[at-1]) {
			return from + len(bytes.TrimRight(d.text[from:at], " \t"))
		}
	}
	return to
}
