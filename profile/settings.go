package profile

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"heretic/profile/internal/fsread"
	"heretic/profile/schema"
)

// Settings is ~/.heretic/settings.yaml: what holds for every agent.
type Settings struct {
	File       string // where it is, also when there is none
	DetachKeys string
	Editor     string

	layer Layer
}

// Settings reads settings.yaml. Without the file everything has its default.
func (l Loader) Settings() (Settings, error) {
	s := Settings{File: filepath.Join(l.HereticHome, "settings.yaml")}
	data, err := fsread.File(s.File, schema.MaxSize)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	root, err := schema.Parse(s.File, data)
	table := schema.Settings()
	if err := schema.Join(append(schema.Errors(err), table.Check(s.File, root)...)); err != nil {
		return s, err
	}
	s.layer = Layer{Name: "settings", File: s.File, Root: root}
	for key, to := range map[string]*string{"detach_keys": &s.DetachKeys, "editor": &s.Editor} {
		row, _ := table.Lookup(key)
		*to = row.Default
		if n := s.layer.get(key); n != nil {
			*to = n.Value
			if err := l.CheckKey(key, n.Value); err != nil {
				return s, &schema.Error{Pos: schema.At(s.File, n), Path: key, Msg: err.Error(), Fix: hintOf(err)}
			}
		}
	}
	return s, nil
}

// token returns the source of a token, ok is false when it is not set.
func (s *Settings) token(key string) (Value, bool) {
	n := child(s.layer.get("github"), key)
	return Value{Path: "github." + key, Node: n, Layer: &s.layer}, n != nil
}

// Tokens returns the token sources of settings.yaml.
func (m *Merged) Tokens() []Value {
	var vs []Value
	for _, key := range []string{"token", "copilot_token"} {
		if v, ok := m.settings.token(key); ok {
			vs = append(vs, v)
		}
	}
	return vs
}

// tokens sets the variables of the tokens in settings.yaml that the profile
// does not set itself.
func (r *resolver) tokens(ctx context.Context) {
	copilot := r.out.Profile.Provider == "copilot"
	if _, own := r.m.Get("git.token"); !own {
		r.token(ctx, "token", "GH_TOKEN", "GITHUB_TOKEN")
	}
	if copilot {
		r.token(ctx, "copilot_token", "COPILOT_GITHUB_TOKEN")
	}
}

// token gives variables the value of a source, which is not run when the
// profile sets all of them.
func (r *resolver) token(ctx context.Context, key string, names ...string) {
	v, ok := r.m.settings.token(key)
	var open []string
	for _, name := range names {
		if _, set := r.m.Get("env." + name); !set {
			open = append(open, name)
		}
	}
	if !ok || len(open) == 0 {
		return
	}
	value, err := r.secret(ctx, v.Node.Value)
	if err != nil {
		r.fail(v, v.Path, v.Node, err)
		return
	}
	for _, name := range open {
		r.setEnv(EnvVar{Name: name, Value: value, Secret: true, Origin: v.Origin()})
	}
}
