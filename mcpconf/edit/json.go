package edit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
	"gopkg.in/yaml.v3"

	"heretic/mcpconf/internal/doc"
)

// jsonEditor edits the tree of hujson, which keeps every byte.
type jsonEditor struct {
	data   []byte
	root   hujson.Value
	indent string
	index  map[*hujson.Object]map[string]int
}

func newJSON(data []byte) (editor, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		data = []byte("{}\n")
	}
	if _, err := doc.JSON(data); err != nil {
		return nil, err
	}
	root, err := doc.ParseJSON(data)
	if err != nil {
		return nil, err
	}
	e := &jsonEditor{data: data, root: root, indent: "  ", index: map[*hujson.Object]map[string]int{}}
	obj, ok := root.Value.(*hujson.Object)
	if !ok {
		return nil, &doc.SyntaxError{Line: 1, Reason: "the file is not a JSON object"}
	}
	if len(obj.Members) > 0 {
		before := string(obj.Members[0].Name.BeforeExtra)
		if i := strings.LastIndexByte(before, '\n'); i >= 0 && strings.TrimSpace(before[i:]) == "" && before[i+1:] != "" {
			e.indent = before[i+1:]
		}
	}
	return e, nil
}

func (e *jsonEditor) bytes() ([]byte, error) {
	return bytes.TrimSuffix(e.root.Pack(), []byte("\n")), nil
}

func (e *jsonEditor) at(obj *hujson.Object, name string) (int, bool) {
	idx := e.index[obj]
	if idx == nil {
		idx = make(map[string]int, len(obj.Members))
		for i := range obj.Members {
			idx[obj.Members[i].Name.Value.(hujson.Literal).String()] = i
		}
		e.index[obj] = idx
	}
	i, ok := idx[name]
	return i, ok
}

// object follows all keys but the last. Without make it is nil where one is
// missing.
func (e *jsonEditor) object(key []string, make bool) (*hujson.Object, error) {
	obj, _ := e.root.Value.(*hujson.Object)
	for i, k := range key[:len(key)-1] {
		at, found := e.at(obj, k)
		if !found {
			if !make {
				return nil, nil
			}
			e.insert(obj, k, hujson.Value{Value: &hujson.Object{}}, i)
			at, _ = e.at(obj, k)
		}
		v := &obj.Members[at].Value
		next, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil, e.fail(v.StartOffset, "%q is not an object", strings.Join(key[:i+1], "."))
		}
		obj = next
	}
	return obj, nil
}

func (e *jsonEditor) fail(off int, format string, args ...any) error {
	return doc.ErrorAt(e.data, off, format, args...)
}

func (e *jsonEditor) get(key []string) (*yaml.Node, error) {
	obj, err := e.object(key, false)
	if obj == nil || err != nil {
		return nil, err
	}
	i, ok := e.at(obj, key[len(key)-1])
	if !ok {
		return nil, nil
	}
	return doc.JSON(obj.Members[i].Value.Pack())
}

func (e *jsonEditor) set(key []string, v *yaml.Node) error {
	obj, err := e.object(key, true)
	if err != nil {
		return err
	}
	depth := len(key) - 1
	val, err := hujson.Parse(doc.AppendJSON(nil, v, strings.Repeat(e.indent, depth+1), e.indent))
	if err != nil {
		return err
	}
	name := key[len(key)-1]
	if i, ok := e.at(obj, name); ok {
		obj.Members[i].Value.Value = val.Value
		return nil
	}
	e.insert(obj, name, val, depth)
	return nil
}

// insert appends a member on a line of its own. A comment behind the last
// member stays behind it.
func (e *jsonEditor) insert(obj *hujson.Object, name string, v hujson.Value, depth int) {
	own, outer := "\n"+strings.Repeat(e.indent, depth+1), "\n"+strings.Repeat(e.indent, depth)
	m := hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: hujson.Extra(own), Value: hujson.String(name)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: v.Value},
	}
	after := string(obj.AfterExtra)
	if strings.TrimSpace(after) != "" {
		m.Name.BeforeExtra = hujson.Extra(strings.TrimRight(after, " \t\r\n") + own)
	}
	if strings.TrimSpace(after) != "" || !strings.Contains(after, "\n") {
		obj.AfterExtra = hujson.Extra(outer)
	}
	if n := len(obj.Members); n > 0 && obj.Members[n-1].Value.AfterExtra != nil {
		m.Value.AfterExtra = hujson.Extra{} // the file's style: a comma behind the last
	}
	if e.index[obj] != nil {
		e.index[obj][name] = len(obj.Members)
	}
	obj.Members = append(obj.Members, m)
}

func (e *jsonEditor) remove(key []string) error {
	obj, err := e.object(key, false)
	if obj == nil || err != nil {
		return err
	}
	// A name may be there several times; with one gone the next would count.
	for {
		i, ok := e.at(obj, key[len(key)-1])
		if !ok {
			return nil
		}
		e.cut(obj, i)
	}
}

// cut takes a member out, with the comments that are its own.
func (e *jsonEditor) cut(obj *hujson.Object, i int) {
	last := i == len(obj.Members)-1
	comma := obj.Members[i].Value.AfterExtra != nil
	// A comment on the line of the member before belongs to that one.
	remark, _, _ := bytes.Cut(obj.Members[i].Name.BeforeExtra, []byte("\n"))
	if bytes.Contains(remark, []byte("//")) || bytes.Contains(remark, []byte("*/")) {
		behind := &obj.AfterExtra
		if !last {
			behind = &obj.Members[i+1].Name.BeforeExtra
		}
		if !bytes.HasPrefix(bytes.TrimLeft(*behind, " \t\r"), []byte("\n")) {
			remark = slices.Concat(remark, []byte("\n"))
		}
		*behind = slices.Concat(remark, *behind)
	}
	obj.Members = append(obj.Members[:i], obj.Members[i+1:]...)
	delete(e.index, obj)
	if last && i > 0 && !comma {
		obj.Members[i-1].Value.AfterExtra = nil
	}
}
