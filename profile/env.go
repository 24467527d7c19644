package profile

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"heretic/mcpconf"
	"heretic/mcpconf/target"
	"heretic/profile/preset"
)

// environment resolves the container's variables.
func (r *resolver) environment() {
	r.git()
	for _, e := range r.secretEnv {
		r.setEnv(e)
	}
	for _, v := range r.m.Below("env") {
		name := strings.TrimPrefix(v.Path, "env.")
		e := EnvVar{Name: name, Secret: true, Origin: v.Origin()}
		if v.Node.Kind == yaml.ScalarNode && v.Node.ShortTag() == "!!null" {
			var set bool
			if e.Value, set = r.host(name); !set {
				r.dropEnv(name)
				continue
			}
		} else {
			var ok bool
			if e.Value, ok = r.expand(v, v.Path, v.Node); !ok {
				continue
			}
		}
		r.setEnv(e)
		r.origin(v.Path, e.Value, true, e.Origin)
	}
}

// git turns the git map into the variables that git and gh read.
func (r *resolver) git() {
	for _, key := range []struct {
		name string
		vars []string
	}{
		{"token", []string{"GH_TOKEN", "GITHUB_TOKEN"}},
		{"author_name", []string{"GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"}},
		{"author_email", []string{"GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"}},
	} {
		v, ok := r.m.Get("git." + key.name)
		if !ok {
			continue
		}
		s, ok := r.expand(v, v.Path, v.Node)
		if !ok {
			continue
		}
		secret := key.name == "token"
		r.origin(v.Path, s, secret, v.Origin())
		for _, name := range key.vars {
			r.setEnv(EnvVar{Name: name, Value: s, Secret: secret, Origin: v.Origin()})
		}
	}
}

// setEnv replaces a variable in its place, or appends it.
func (r *resolver) setEnv(e EnvVar) {
	env := &r.out.Profile.Env
	if i, ok := r.envAt[e.Name]; ok {
		(*env)[i] = e
		return
	}
	r.envAt[e.Name] = len(*env)
	*env = append(*env, e)
}

// dropEnv takes a variable out.
func (r *resolver) dropEnv(name string) {
	i, ok := r.envAt[name]
	if !ok {
		return
	}
	delete(r.envAt, name)
	r.out.Profile.Env = slices.Delete(r.out.Profile.Env, i, i+1)
	for j, e := range r.out.Profile.Env[i:] {
		r.envAt[e.Name] = i + j
	}
}

// provider resolves the provider and sets what its preset has for the
// container's environment, below everything else.
func (r *resolver) provider() {
	p := &r.out.Profile
	p.Provider = r.string("provider")
	v, ok := r.m.Get("provider")
	if !ok {
		t, _ := target.Lookup(p.AgentType)
		p.Provider = t.Provider
		r.origin("provider", p.Provider, false, Origin{Layer: "default"})
		return
	}
	row, known := preset.Lookup(p.Provider)
	if !known {
		r.out.Notes = append(r.out.Notes, mcpconf.Note{Field: "provider", Pos: v.Pos(),
			Text: fmt.Sprintf("heretic knows nothing about the provider %q; known: %s", p.Provider, strings.Join(preset.Names(), ", "))})
	}
	for _, e := range row.Env {
		r.setEnv(EnvVar{Name: e.Name, Value: e.Value, Origin: v.Origin()})
		r.origin("env."+e.Name, e.Value, false, v.Origin())
	}
}
