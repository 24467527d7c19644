package profile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"

	"heretic/mcpconf"
	"heretic/profile/internal/dotenv"
	"heretic/profile/internal/fsread"
	"heretic/profile/schema"
)

// LocalSettings is the project's file of Claude Code settings, below the
// project.
const LocalSettings = LocalDir + "/claude-settings.json"

// File is a file that a profile names, or that the project has beside it, read
// while merging.
type File struct {
	Key  string // "env_file", "claude_settings", "extra.security_opt"
	Path string
	Data []byte
	By   Value // what names it; no layer for the project's claude-settings.json

	vars     []dotenv.Var
	settings map[string]any
}

// Names are the variables that an env_file sets.
func (f File) Names() []string {
	var names []string
	for _, v := range f.vars {
		names = append(names, v.Name)
	}
	return names
}

// readFiles reads env_file, seccomp profiles and the Claude settings.
func (m *Merged) readFiles() error {
	if v, ok := m.Get("env_file"); ok {
		for _, one := range v.items() {
			f, err := m.readEnvFile(one)
			if err != nil {
				return err
			}
			m.Files = append(m.Files, f)
		}
	}
	if v, ok := m.Get("extra.security_opt"); ok {
		for _, one := range v.items() {
			if err := m.readSeccomp(one); err != nil {
				return err
			}
		}
	}
	if v, ok := m.Get("claude_settings"); ok {
		f, err := m.readNamed(v)
		if err != nil {
			return err
		}
		if f.settings, err = settings(f.Path, f.Data); err != nil {
			return err
		}
		m.Files = append(m.Files, f)
	}
	return m.readLocalSettings()
}

// items are the values of a string or a list of them.
func (v Value) items() []Value {
	if v.Node.Kind != yaml.SequenceNode {
		return []Value{v}
	}
	var out []Value
	for i, n := range v.Node.Content {
		out = append(out, Value{Path: fmt.Sprintf("%s[%d]", v.Path, i), Node: n, Layer: v.Layer, Flag: v.Flag})
	}
	return out
}

func (m *Merged) readNamed(v Value) (File, error) {
	f := File{Key: v.Path, By: v}
	var err error
	if f.Path, err = m.loader.filePath(v); err != nil {
		return f, err
	}
	f.Data, err = fsread.File(f.Path, schema.MaxSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, v.wrap(fmt.Errorf("file not found: %s", f.Path))
	case err != nil:
		return f, v.wrap(err)
	}
	return f, nil
}

func (m *Merged) readEnvFile(v Value) (File, error) {
	f, err := m.readNamed(v)
	if err != nil {
		return f, err
	}
	f.Key = "env_file"
	f.vars, err = dotenv.Parse(f.Data)
	if e, ok := errors.AsType[*dotenv.Error](err); ok {
		return f, &schema.Error{Pos: mcpconf.Pos{File: f.Path, Line: e.Line}, Msg: e.Msg}
	}
	return f, err
}

// readSeccomp reads the file of a security option that names one.
func (m *Merged) readSeccomp(v Value) error {
	file, ok := seccompFile(v.Node.Value)
	if !ok {
		return nil
	}
	n := *v.Node
	n.Value = file
	v.Node = &n
	f, err := m.readNamed(v)
	if err != nil {
		return err
	}
	f.Key = "extra.security_opt"
	if _, err := jsonObject("a seccomp profile", f.Path, f.Data); err != nil {
		return err
	}
	m.Files = append(m.Files, f)
	return nil
}

// seccompFile is the file that a security option names.
func seccompFile(option string) (string, bool) {
	file, ok := strings.CutPrefix(option, "seccomp=")
	return file, ok && file != "unconfined" && file != "builtin"
}

// readLocalSettings reads the project's own Claude settings, if it has any and
// its override takes part.
func (m *Merged) readLocalSettings() error {
	if m.loader.Project == "" || m.opts.NoLocal {
		return nil
	}
	data, err := fsread.Below(m.loader.Project, filepath.FromSlash(LocalSettings), schema.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	f := File{Key: "claude_settings", Path: filepath.Join(m.loader.Project, filepath.FromSlash(LocalSettings)), Data: data}
	if f.settings, err = settings(f.Path, data); err != nil {
		return err
	}
	m.Files = append(m.Files, f)
	return nil
}

// settings reads Claude settings; an empty file has none.
func settings(file string, data []byte) (map[string]any, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, nil
	}
	return jsonObject("claude_settings", file, data)
}

// jsonObject reads a file that has to be one.
func jsonObject(what, file string, data []byte) (map[string]any, error) {
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\uFEFF"))))
	dec.UseNumber()
	var s map[string]any
	err := dec.Decode(&s)
	if err == nil {
		if _, rest := dec.Token(); !errors.Is(rest, io.EOF) {
			err = errors.New("there is text behind the JSON object")
		}
	}
	if err != nil {
		at := dec.InputOffset()
		if e, ok := errors.AsType[*json.SyntaxError](err); ok {
			at = e.Offset
		}
		return nil, &schema.Error{Pos: jsonPos(file, data, at), Msg: what + " must be a JSON object: " + jsonReason(err)}
	}
	return s, nil
}

// jsonReason is the error without the values that the package puts into it.
func jsonReason(err error) string {
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return "found " + t.Value
	}
	return err.Error()
}

func jsonPos(file string, data []byte, offset int64) mcpconf.Pos {
	before := data[:max(0, min(int(offset)-1, len(data)))]
	line := bytes.Count(before, []byte("\n")) + 1
	col := len(before) - bytes.LastIndexByte(before, '\n')
	return mcpconf.Pos{File: file, Line: line, Col: col}
}

// mergeSettings lays over on base: lists are united, maps merged by key (and
// the lists in them united), other values replaced.
func mergeSettings(base, over map[string]any) map[string]any {
	return mergeMap(base, over, func(a, b any) any {
		x, ok1 := a.(map[string]any)
		y, ok2 := b.(map[string]any)
		if !ok1 || !ok2 {
			return union(a, b)
		}
		return mergeMap(x, y, union)
	})
}

func mergeMap(base, over map[string]any, both func(a, b any) any) map[string]any {
	out := make(map[string]any, len(base)+len(over))
	for k, v := range base {
		out[k] = v
	}
	for k, v := range over {
		if b, ok := out[k]; ok {
			v = both(b, v)
		}
		out[k] = v
	}
	return out
}

// union unites two lists; of other values the second replaces the first.
func union(a, b any) any {
	x, ok1 := a.([]any)
	y, ok2 := b.([]any)
	if !ok1 || !ok2 {
		return b
	}
	seen := map[string]bool{}
	var out []any
	for _, v := range append(append([]any{}, x...), y...) {
		key, err := json.Marshal(v)
		if err == nil && seen[string(key)] {
			continue
		}
		seen[string(key)] = true
		out = append(out, v)
	}
	return out
}
