package home

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"heretic/mcpconf"
)

// Setting is one key of a file below the home that heretic sets.
type Setting struct {
	File  string   `json:"file"`
	Key   []string `json:"key"`
	Value any      `json:"value"`
	// Union adds the values of a list to what is there.
	Union bool `json:"union,omitempty"`
	// Default leaves another value that is there as it is.
	Default bool `json:"default,omitempty"`
}

// Servers are MCP servers that are a part of a file which the agent owns.
type Servers struct {
	File    string
	Form    mcpconf.Form
	Servers []mcpconf.Server
	// PassEnv are variables that the servers get from the container.
	PassEnv []string
}

// Changes are what heretic does to the files of a home.
type Changes struct {
	Settings []Setting
	Servers  *Servers
	// Before is what an earlier run set, EarlierServers what it wrote: what is
	// not set again is taken out.
	Before         []Setting
	EarlierServers []string
}

// Files gives access to the files of a home, wherever that is.
type Files interface {
	// Read returns nil for a file that does not exist.
	Read(ctx context.Context, name string) ([]byte, error)
	Write(ctx context.Context, name string, data []byte) error
	// Where names a file for a person.
	Where(name string) string
}

// Apply makes the changes. All else in the files stays as it is; a file that
// cannot be read or understood is an error, and is not written.
func (c Changes) Apply(ctx context.Context, files Files) error {
	for _, name := range c.files() {
		old, err := files.Read(ctx, name)
		if err != nil {
			return err
		}
		data, err := c.edit(name, files.Where(name), old)
		if err != nil {
			return err
		}
		if string(data) == string(old) {
			continue
		}
		if err := files.Write(ctx, name, data); err != nil {
			return err
		}
	}
	return nil
}

// files are the names of the files concerned, each once.
func (c Changes) files() []string {
	var names []string
	for _, s := range slices.Concat(c.Settings, c.Before) {
		if !slices.Contains(names, s.File) {
			names = append(names, s.File)
		}
	}
	if s := c.Servers; s != nil && !slices.Contains(names, s.File) {
		names = append(names, s.File)
	}
	return names
}

// edit returns the new content of one file.
func (c Changes) edit(name, where string, data []byte) ([]byte, error) {
	f := document{where: where, data: data}
	for _, s := range c.Before {
		if s.File != name {
			continue
		}
		if err := f.takeBack(s, c.Settings); err != nil {
			return nil, err
		}
	}
	for _, s := range c.Settings {
		if s.File != name {
			continue
		}
		if err := f.put(s); err != nil {
			return nil, err
		}
	}
	if s := c.Servers; s != nil && s.File == name {
		opt := mcpconf.RenderOptions{Earlier: c.EarlierServers, PassEnv: s.PassEnv}
		r, err := mcpconf.Update(s.Form, where, f.data, s.Servers, opt)
		if err != nil {
			return nil, err
		}
		f.data = r.Data
	}
	return f.data, nil
}

// takeBack undoes an earlier setting, as far as it is not made again.
func (f *document) takeBack(s Setting, now []Setting) error {
	if len(f.data) == 0 {
		return nil
	}
	again := slices.IndexFunc(now, func(n Setting) bool { return n.File == s.File && slices.Equal(n.Key, s.Key) })
	value, ok, err := f.get(s.Key)
	if err != nil || !ok {
		return err
	}
	if !s.Union {
		if again < 0 && equal(value, s.Value) {
			return f.delete(s.Key)
		}
		return nil
	}
	list, ok := value.([]any)
	if !ok {
		return nil
	}
	kept := slices.DeleteFunc(slices.Clone(list), func(v any) bool {
		ours := contains(values(s.Value), v)
		return ours && !(again >= 0 && contains(values(now[again].Value), v))
	})
	if len(kept) == len(list) {
		return nil
	}
	return f.set(s.Key, kept)
}

func (f *document) put(s Setting) error {
	value, ok, err := f.get(s.Key)
	if err != nil {
		return err
	}
	if !s.Union {
		if ok && (s.Default || equal(value, s.Value)) {
			return nil
		}
		return f.set(s.Key, s.Value)
	}
	list, isList := value.([]any)
	if ok && value != nil && !isList {
		return fmt.Errorf("%s: %q is not a list", f.where, s.Key)
	}
	all := slices.Clone(list)
	for _, v := range values(s.Value) {
		if !contains(all, v) {
			all = append(all, v)
		}
	}
	if len(all) == len(list) {
		return nil
	}
	return f.set(s.Key, all)
}

// values are the elements of a list, or the one value.
func values(v any) []any {
	switch v := v.(type) {
	case []any:
		return v
	case []string:
		all := make([]any, len(v))
		for i, s := range v {
			all[i] = s
		}
		return all
	}
	return []any{v}
}

func contains(list []any, v any) bool {
	return slices.ContainsFunc(list, func(o any) bool { return equal(o, v) })
}

// equal compares values as JSON has them: 1 is 1.0.
func equal(a, b any) bool {
	x, errA := json.Marshal(a)
	y, errB := json.Marshal(b)
	return errA == nil && errB == nil && string(x) == string(y)
}
