package yamledit

import (
	"bytes"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// spot is a node with what surrounds it.
type spot struct {
	node, key, parent *yaml.Node
	at                int  // index in the parent's content
	flow              bool // inside of brackets
	limit             int  // where the next node starts or the collection ends
}

// locate walks to a node that is there.
func (d *document) locate(path Path) spot {
	s := spot{node: d.root, limit: d.bodyEnd()}
	for _, e := range path {
		parent := s.node
		if parent.Style&yaml.FlowStyle != 0 {
			s.flow = true
			s.limit = d.bracketEnd(d.skipProperties(d.offset(parent)), len(d.text)) - 1
		}
		i := index(parent, e)
		s.parent, s.at, s.node, s.key = parent, i, parent.Content[i], nil
		if parent.Kind == yaml.MappingNode {
			s.key = parent.Content[i-1]
		}
		if i+1 < len(parent.Content) {
			s.limit = d.offset(parent.Content[i+1])
			if !s.flow {
				s.limit = d.lineStart(s.limit)
			}
		}
	}
	return s
}

func (d *document) set(path Path, value *yaml.Node) error {
	known := 0
	for known < len(path) {
		if _, _, ok := d.find(path[:known+1]); !ok {
			break
		}
		known++
	}
	if known == len(path) {
		return d.replaceValue(d.locate(path), value)
	}
	rest := nest(path[known+1:], value)
	if d.root == nil {
		return d.first(path[0], rest)
	}
	return d.add(d.locate(path[:known]), path[known], rest)
}

// first writes the first key of a file that has only comments or nothing.
func (d *document) first(element any, value *yaml.Node) error {
	key, ok := element.(string)
	if !ok {
		return ErrRefused
	}
	text, err := entry(key, value, 0)
	if err != nil {
		return err
	}
	end := len(d.text)
	if end > 0 && d.text[end-1] != '\n' {
		text = "\n" + text
	}
	d.replace(end, end, text+"\n")
	return nil
}

// add puts a new entry at the end of a map or list.
func (d *document) add(s spot, element any, value *yaml.Node) error {
	n := s.node
	if len(n.Content) == 0 || isNull(n) {
		return d.replaceValue(s, nest(Path{element}, value))
	}
	if s.flow || n.Style&yaml.FlowStyle != 0 {
		return d.addInline(n, element, value)
	}
	last := d.end(n, s.limit, false)
	indent := n.Column - 1
	var text string
	var err error
	if key, ok := element.(string); ok {
		text, err = entry(key, value, indent)
	} else {
		text, err = block(value, indent+2)
		text = "- " + text
	}
	if err != nil {
		return err
	}
	at := d.lineEnd(last)
	d.replace(at, at, "\n"+strings.Repeat(" ", indent)+text)
	return nil
}

// addInline puts a new entry before the closing bracket.
func (d *document) addInline(n *yaml.Node, element any, value *yaml.Node) error {
	text, err := inline(value)
	if err != nil {
		return err
	}
	if key, ok := element.(string); ok {
		if text, err = inline(nest(Path{key}, value)); err != nil {
			return err
		}
		text = strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")
	}
	closing := d.bracketEnd(d.skipProperties(d.offset(n)), len(d.text)) - 1
	at := d.end(n.Content[len(n.Content)-1], closing, true)
	d.replace(at, at, ", "+text)
	return nil
}

// replaceValue writes a new value in the place of one that is there.
func (d *document) replaceValue(s spot, value *yaml.Node) error {
	if s.parent == nil {
		return ErrRefused
	}
	old := s.node
	empty := isNull(old) && old.Value == ""
	start, end := d.offset(old), d.end(old, s.limit, s.flow)
	if empty {
		start = d.afterMark(s)
		end = start
	}
	if s.flow {
		text, err := inline(styled(value, old))
		if err != nil {
			return err
		}
		if empty {
			text = " " + text
		}
		d.replace(start, end, text)
		return nil
	}
	switch {
	case isBlock(old) && isBlock(value):
		text, err := block(value, old.Column-1)
		if err != nil {
			return err
		}
		d.replace(start, end, text)
		return nil
	case isBlock(value):
		return d.toBlock(s, start, end, value)
	}
	text, err := block(styled(value, old), d.indent(s))
	if err != nil {
		return err
	}
	if isBlock(old) || empty {
		mark := d.afterMark(s)
		if isBlock(old) {
			d.replace(mark, end, " "+text)
			return nil
		}
		d.replace(mark, mark, " "+text)
		return nil
	}
	d.replace(start, end, text)
	return nil
}

// toBlock writes a collection below its key, where one value stood behind it.
func (d *document) toBlock(s spot, start, end int, value *yaml.Node) error {
	if s.key == nil {
		text, err := block(value, s.parent.Column+1)
		if err != nil {
			return err
		}
		if start == end {
			text = " " + text
		}
		d.replace(start, end, text)
		return nil
	}
	indent := d.indent(s)
	text, err := block(value, indent)
	if err != nil {
		return err
	}
	at := d.lineEnd(end)
	tail := string(bytes.TrimRight(d.text[end:at], " \t"))
	mark := d.afterMark(s)
	if d.lineStart(start) != d.lineStart(mark) {
		mark = start
	}
	d.replace(mark, at, tail+"\n"+strings.Repeat(" ", indent)+text)
	return nil
}

// indent is where the lines of a new value below a key or dash start.
func (d *document) indent(s spot) int { return s.parent.Column - 1 + 2 }

// afterMark is the offset behind the colon of a key, or the dash of an entry.
func (d *document) afterMark(s spot) int {
	if s.key != nil {
		at := d.end(s.key, s.limit, true)
		if s.key.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) == 0 && s.key.Kind == yaml.ScalarNode {
			at = d.offset(s.key) + len(s.key.Value)
		}
		for at < len(d.text) && d.text[at] != ':' {
			at++
		}
		return min(at+1, len(d.text))
	}
	return d.dash(s) + 1
}

// dash is the offset of the dash before a list entry.
func (d *document) dash(s spot) int {
	at := d.offset(s.node)
	if isNull(s.node) && s.node.Value == "" {
		at = min(at+1, len(d.text))
	}
	for at--; at > 0; at-- {
		if d.text[at] == '-' && d.columnOf(at) == s.parent.Column {
			break
		}
	}
	return max(at, 0)
}

func (d *document) columnOf(at int) int {
	return len([]rune(string(d.text[d.lineStart(at):at]))) + 1
}

func (d *document) remove(path Path) error {
	s := d.locate(path)
	step := 1
	if s.key != nil {
		step = 2
	}
	if len(s.parent.Content) == step {
		return d.removeLast(path, s)
	}
	if s.flow {
		return d.removeInline(s)
	}
	start := d.dash(s)
	if s.key != nil {
		start = d.offset(s.key)
	}
	end := d.nextLine(d.valueEnd(s))
	if line := d.lineStart(start); len(bytes.TrimSpace(d.text[line:start])) == 0 {
		d.replace(line, end, "")
		return nil
	}
	// The first key of a list entry: the next one moves up to the dash.
	if s.at+1 == len(s.parent.Content) {
		return ErrRefused
	}
	next := s.parent.Content[s.at+1]
	d.replace(start, d.offset(next), "")
	return nil
}

// valueEnd is where the value ends, or its mark when there is no value.
func (d *document) valueEnd(s spot) int {
	if isNull(s.node) && s.node.Value == "" {
		return d.afterMark(s)
	}
	return d.end(s.node, s.limit, s.flow)
}

// removeLast takes the only entry of a collection out, which leaves {} or [].
func (d *document) removeLast(path Path, s spot) error {
	empty := &yaml.Node{Kind: s.parent.Kind, Tag: s.parent.Tag, Style: yaml.FlowStyle}
	if len(path) > 1 {
		return d.replaceValue(d.locate(path[:len(path)-1]), empty)
	}
	if s.flow {
		return d.removeInline(s)
	}
	start := d.offset(s.key)
	d.replace(d.lineStart(start), d.nextLine(d.valueEnd(s)), "")
	return nil
}

// removeInline takes an entry and the comma next to it out of brackets.
func (d *document) removeInline(s spot) error {
	start, end := d.offset(s.node), d.valueEnd(s)
	if s.key != nil {
		start = d.offset(s.key)
	}
	if s.at+1 < len(s.parent.Content) {
		d.replace(start, s.limit, "")
		return nil
	}
	for start > 0 && bytes.IndexByte([]byte(" \t\r\n"), d.text[start-1]) >= 0 {
		start--
	}
	if start > 0 && d.text[start-1] == ',' {
		start--
	} else if s.at > 1 {
		return fmt.Errorf("a comment stands between the entries: %w", ErrRefused)
	}
	d.replace(start, end, "")
	return nil
}
