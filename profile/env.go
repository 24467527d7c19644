package profile

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// environment resolves the container's variables.
func (r *resolver) environment() {
	r.git()
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
	for i := range *env {
		if (*env)[i].Name == e.Name {
			(*env)[i] = e
			return
		}
	}
	*env = append(*env, e)
}

func (r *resolver) dropEnv(name string) {
	env := r.out.Profile.Env
	for i := range env {
		if env[i].Name == name {
			r.out.Profile.Env = append(env[:i], env[i+1:]...)
			return
		}
	}
}
