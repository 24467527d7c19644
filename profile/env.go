package profile

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"heretic/mcpconf"
	"heretic/mcpconf/target"
	"heretic/profile/preset"
)

// environment resolves the container's variables.
func (r *resolver) environment(ctx context.Context) {
	r.hostEnv()
	r.envFiles()
	r.tokens(ctx)
	r.git()
	for _, e := range r.secretEnv {
		r.setEnv(e)
	}
	for _, v := range r.m.Below("env") {
		r.variable(strings.TrimPrefix(v.Path, "env."), v)
	}
	env := r.out.Profile.Env
	for _, e := range env {
		r.origin("env."+e.Name, e.Value, e.Secret, e.Origin)
	}
	if has(env, "ANTHROPIC_API_KEY") && has(env, "CLAUDE_CODE_OAUTH_TOKEN") {
		r.out.Notes = append(r.out.Notes, mcpconf.Note{Field: "env.ANTHROPIC_API_KEY",
			Text: "ANTHROPIC_API_KEY and CLAUDE_CODE_OAUTH_TOKEN are both set: Claude Code uses the key and bills it"})
	}
}

func has(env []EnvVar, name string) bool {
	return slices.ContainsFunc(env, func(e EnvVar) bool { return e.Name == name && e.Value != "" })
}

// variable sets one entry of env.
func (r *resolver) variable(name string, v Value) {
	e := EnvVar{Name: name, Secret: true, Origin: v.Origin()}
	meant := v.Node.Value == "" // an empty value that is written as one
	if v.Node.ShortTag() == "!!null" {
		var set bool
		if e.Value, set = r.host(name); !set {
			r.dropEnv(name)
			return
		}
		meant = false
	} else {
		var ok bool
		if e.Value, ok = r.expand(v, v.Path, v.Node); !ok {
			return
		}
	}
	if e.Value == "" && !meant && slices.Contains(preset.Credentials(), name) {
		r.dropEnv(name)
		r.out.Notes = append(r.out.Notes, mcpconf.Note{Field: v.Path, Pos: v.Pos(),
			Text: name + " turned out empty and is not passed: an empty one would shadow the agent's login; write \"\" where that is meant"})
		return
	}
	r.setEnv(e)
}

// envFiles sets the variables of the env_file entries.
func (r *resolver) envFiles() {
	for _, f := range r.m.Files {
		for _, v := range f.vars {
			e := EnvVar{Name: v.Name, Value: v.Value, Secret: true, Origin: Origin{Layer: f.By.Layer.Name, Pos: mcpconf.Pos{File: f.Path, Line: v.Line}}}
			if v.Host {
				var set bool
				if e.Value, set = r.host(v.Name); !set {
					continue
				}
			}
			r.setEnv(e)
		}
	}
}

// settings merges the Claude settings, the project's over the profile's.
func (r *resolver) settings() {
	for _, f := range r.m.Files {
		if f.Key != "claude_settings" || f.settings == nil {
			continue
		}
		p := &r.out.Profile
		p.ClaudeSettings = mergeSettings(p.ClaudeSettings, f.settings)
		o := Origin{Layer: "local", Pos: mcpconf.Pos{File: f.Path}}
		if f.By.Layer != nil {
			o = f.By.Origin()
		}
		r.origin("claude_settings", f.Path, false, o)
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
		if s == "" {
			continue // git and gh take an empty one for a wrong one
		}
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
	}
}
