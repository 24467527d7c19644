package mcpconf

import (
	"errors"
	"reflect"
	"slices"
)

// Merge lays over on base: a server of the same name is replaced in place, a
// new one is appended. Neither list is changed.
func Merge(base, over []Server) []Server {
	out := slices.Clone(base)
	index := make(map[string]int, len(out))
	for i, s := range out {
		index[s.Name] = i
	}
	for _, s := range over {
		if i, ok := index[s.Name]; ok {
			out[i] = s
			continue
		}
		index[s.Name] = len(out)
		out = append(out, s)
	}
	return out
}

// Changes are the names of servers by what an import does to them.
type Changes struct {
	Added    []string `json:"added,omitempty"`    // new
	Replaced []string `json:"replaced,omitempty"` // there before, with other values
	Kept     []string `json:"kept,omitempty"`     // as before
	Removed  []string `json:"removed,omitempty"`  // there before, gone now
}

// Diff compares two lists by name.
func Diff(old, new []Server) Changes {
	before := make(map[string]Server, len(old))
	for _, s := range old {
		before[s.Name] = s
	}
	var c Changes
	for _, s := range new {
		o, ok := before[s.Name]
		delete(before, s.Name)
		switch {
		case !ok:
			c.Added = append(c.Added, s.Name)
		case o.Equal(s):
			c.Kept = append(c.Kept, s.Name)
		default:
			c.Replaced = append(c.Replaced, s.Name)
		}
	}
	for _, s := range old {
		if _, ok := before[s.Name]; ok {
			c.Removed = append(c.Removed, s.Name)
		}
	}
	return c
}

// Equal tells whether two servers are the same but for their places. An empty
// list equals none, except for Tools, where it means something else.
func (s Server) Equal(o Server) bool {
	return reflect.DeepEqual(s.plain(), o.plain())
}

func (s Server) plain() Server {
	s.Pos, s.at = Pos{}, nil
	s.Args = append([]string{}, s.Args...)
	s.Env, s.Headers = append(Vars{}, s.Env...), append(Vars{}, s.Headers...)
	s.ExcludeTools = append([]string{}, s.ExcludeTools...)
	return s
}

// Map returns a copy in which f has replaced every string that may hold a
// variable: the command, its arguments and directory, the URL, the values of
// headers and environment. The path is the one [Server.At] takes. All errors
// are joined.
func (s Server) Map(f func(path, value string, pos Pos) (string, error)) (Server, error) {
	var errs []error
	do := func(path string, v *string) {
		if *v == "" {
			return
		}
		out, err := f(path, *v, s.At(path))
		if err != nil {
			errs = append(errs, err)
			return
		}
		*v = out
	}
	out := s
	out.Args, out.Tools, out.ExcludeTools = slices.Clone(s.Args), slices.Clone(s.Tools), slices.Clone(s.ExcludeTools)
	out.Env, out.Headers = slices.Clone(s.Env), slices.Clone(s.Headers)
	do("command", &out.Command)
	for i := range out.Args {
		do(indexed("args", i), &out.Args[i])
	}
	do("cwd", &out.Cwd)
	do("url", &out.URL)
	for i := range out.Headers {
		do("headers."+out.Headers[i].Name, &out.Headers[i].Value)
	}
	for i := range out.Env {
		do("env."+out.Env[i].Name, &out.Env[i].Value)
	}
	return out, errors.Join(errs...)
}
