package home

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// document is a JSON file, perhaps with comments, that keeps its own form.
type document struct {
	where string // for messages
	data  []byte
}

func (f *document) parse() (hujson.Value, error) {
	if len(f.data) == 0 {
		return hujson.Parse([]byte("{}"))
	}
	v, err := hujson.Parse(f.data)
	if err != nil {
		return v, fmt.Errorf("%s: %w", f.where, err)
	}
	return v, nil
}

func pointer(key []string) string {
	var b strings.Builder
	for _, k := range key {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(k))
	}
	return b.String()
}

func (f *document) get(key []string) (any, bool, error) {
	root, err := f.parse()
	if err != nil {
		return nil, false, err
	}
	v := root.Find(pointer(key))
	if v == nil {
		return nil, false, nil
	}
	c := v.Clone()
	c.Standardize()
	var value any
	if err := json.Unmarshal(c.Pack(), &value); err != nil {
		return nil, false, fmt.Errorf("%s: %w", f.where, err)
	}
	return value, true, nil
}

type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

func (f *document) set(key []string, value any) error {
	root, err := f.parse()
	if err != nil {
		return err
	}
	var ops []operation
	for i := 1; i < len(key); i++ {
		if root.Find(pointer(key[:i])) == nil {
			ops = append(ops, operation{"add", pointer(key[:i]), map[string]any{}})
		}
	}
	return f.patch(root, append(ops, operation{"add", pointer(key), value}))
}

func (f *document) delete(key []string) error {
	root, err := f.parse()
	if err != nil {
		return err
	}
	return f.patch(root, []operation{{Op: "remove", Path: pointer(key)}})
}

func (f *document) patch(root hujson.Value, ops []operation) error {
	data, err := json.Marshal(ops)
	if err != nil {
		return err
	}
	if err := root.Patch(data); err != nil {
		return fmt.Errorf("%s: %w", f.where, err)
	}
	if len(f.data) == 0 {
		root.Format()
	}
	f.data = root.Pack()
	return nil
}
