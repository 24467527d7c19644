package edit

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"heretic/mcpconf/internal/doc"
)

func (e *tomlEditor) set(key []string, v *yaml.Node) error {
	if i, ok := e.inline(key); ok {
		return e.setInline(i, key, v)
	}
	for n := 1; n < len(key); n++ {
		if above := e.values[joined(key[:n])]; above != nil && above.Kind != yaml.MappingNode {
			return fmt.Errorf("%q is not a table", strings.Join(key[:n], "."))
		}
	}
	if v.Kind == yaml.MappingNode {
		e.setTable(key, v)
		return nil
	}
	e.remember(key, v)
	for _, i := range e.index[joined(key)] {
		s := &e.segs[i]
		if s.header || len(s.path) > len(key) {
			return fmt.Errorf("%q is a table", strings.Join(key, "."))
		}
		if s.text != "" {
			s.setValue(v)
			return nil
		}
	}
	return e.addKey(key, v)
}

// inline finds the key whose value is an inline table that holds what key
// leads to.
func (e *tomlEditor) inline(key []string) (int, bool) {
	for n := 1; n < len(key); n++ {
		if i, ok := e.keys[joined(key[:n])]; ok && e.segs[i].text != "" {
			return i, true
		}
	}
	return 0, false
}

// setInline writes an inline table anew with one member set, or taken out when
// v is nil.
func (e *tomlEditor) setInline(i int, key []string, v *yaml.Node) error {
	s := &e.segs[i]
	top := e.values[joined(s.path)]
	if err := setIn(top, key[len(s.path):], v); err != nil {
		return err
	}
	s.setValue(top)
	e.remember(s.path, top)
	return nil
}

// setIn sets, or takes out when v is nil, what path leads to below n.
func setIn(n *yaml.Node, path []string, v *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("%q cannot be set in something that is not a table", strings.Join(path, "."))
	}
	at := 0
	for at < len(n.Content) && n.Content[at].Value != path[0] {
		at += 2
	}
	there, last := at < len(n.Content), len(path) == 1
	switch {
	case v == nil && !there:
		return nil
	case v == nil && last:
		n.Content = slices.Delete(n.Content, at, at+2)
		return nil
	case !there:
		doc.Set(n, path[0], doc.Map())
	}
	if last {
		n.Content[at+1] = v
		return nil
	}
	return setIn(n.Content[at+1], path[1:], v)
}

func (s *segment) setValue(v *yaml.Node) {
	text := doc.TOMLValue(v)
	s.text = s.text[:s.value] + text + s.text[s.end:]
	s.end = s.value + len(text)
}

// setTable writes a table in the place of the one that is there, with its
// sub-tables, or behind the last one of its kind.
func (e *tomlEditor) setTable(key []string, v *yaml.Node) {
	text := string(doc.TOMLTable(key, v))
	have := e.index[joined(key)]
	if len(have) > 0 && e.segs[have[0]].header {
		e.cut(have, true)
		e.segs[have[0]].text = text
		return
	}
	e.cut(have, false)
	e.addTable(key, text)
}

func (e *tomlEditor) addTable(key []string, text string) {
	if len(e.segs) == 0 {
		e.segs = append(e.segs, segment{})
	}
	at := len(e.segs) - 1
	if family := e.index[joined(key[:1])]; len(family) > 0 {
		at = family[len(family)-1]
		for i := at + 1; i < len(e.segs) && !e.segs[i].header; i++ {
			if e.segs[i].path != nil {
				at = i
			}
		}
	}
	e.segs[at].tables = append(e.segs[at].tables, text)
}

// addKey writes a key where its table is, or makes the table.
func (e *tomlEditor) addKey(key []string, v *yaml.Node) error {
	parent := key[:len(key)-1]
	at := -1
	for i, s := range e.segs {
		switch {
		case s.path == nil || s.text == "":
		case s.header && slices.Equal(s.path, parent):
			at = i
		case !s.header && slices.Equal(s.base, parent):
			at = i
		case !s.header && at < 0 && len(parent) > len(s.base) && hasPrefix(s.path, parent):
			at = i // dotted keys make the table
		}
	}
	switch {
	case at >= 0:
		base := e.segs[at].base
		if e.segs[at].header {
			base = parent
		}
		e.segs[at].lines = append(e.segs[at].lines, keyLine(key[len(base):], v))
	case len(parent) == 0:
		e.head = append(e.head, keyLine(key, v))
	default:
		m := doc.Map()
		doc.Set(m, key[len(key)-1], v)
		e.addTable(parent, string(doc.TOMLTable(parent, m)))
	}
	return e.reload()
}

// reload reads what has been made so far, so that a further edit sees it.
func (e *tomlEditor) reload() error {
	data, err := e.bytes()
	if err != nil {
		return err
	}
	next, err := newTOML(data)
	if err == nil {
		*e = *next.(*tomlEditor)
	}
	return err
}

func hasPrefix(path, prefix []string) bool {
	return len(path) >= len(prefix) && slices.Equal(path[:len(prefix)], prefix)
}

func keyLine(key []string, v *yaml.Node) string {
	return doc.TOMLKey(key...) + " = " + doc.TOMLValue(v) + "\n"
}

func (e *tomlEditor) remove(key []string) error {
	if i, ok := e.inline(key); ok {
		return e.setInline(i, key, nil)
	}
	e.cut(e.index[joined(key)], false)
	delete(e.values, joined(key))
	return nil
}

// cut empties segments, and the comments between two of them. What stands in
// the place of the first keeps the blank lines behind it, when keep is set.
func (e *tomlEditor) cut(at []int, keep bool) {
	for n, i := range at {
		s := &e.segs[i]
		s.text, s.lines = "", nil
		more := n+1 < len(at) && onlyComments(e.segs[i+1:at[n+1]])
		if more {
			for j := i + 1; j < at[n+1]; j++ {
				e.segs[j].text, e.segs[j].blank = "", ""
			}
		}
		if more || !keep {
			s.blank = ""
		}
		keep = keep && more
	}
}

func onlyComments(segs []segment) bool {
	return !slices.ContainsFunc(segs, func(s segment) bool { return s.path != nil })
}
