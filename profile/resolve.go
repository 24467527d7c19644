package profile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"heretic/mcpconf"
	"heretic/mcpconf/target"
	"heretic/profile/internal/expand"
	"heretic/profile/schema"
)

// Environment is what resolving may know of the host.
type Environment struct {
	Lookup    func(string) (string, bool) // of one variable; nil: none is set
	Environ   []string                    // for secret scripts
	AgentHome string                      // the home in the container; "" when unknown
	// RunScript runs a secret script and returns its standard output. nil
	// runs it on the host, for at most 30 seconds.
	RunScript func(ctx context.Context, argv []string) (string, error)
}

// Resolved is a profile with every variable replaced. It holds secrets.
type Resolved struct {
	Profile Profile
	Notes   []mcpconf.Note
	Origins []KeyOrigin // in the order of the schema
	Layers  []Layer
}

// Resolve gives every variable its value: it runs the secret scripts, reads
// env_file, splits commands and expands paths. All errors come together; when
// ctx ends, its cause is the only one.
func (m *Merged) Resolve(ctx context.Context, env Environment) (*Resolved, error) {
	r := &resolver{m: m, env: env, out: &Resolved{Layers: m.Layers}, envAt: map[string]int{}, unknown: map[string]bool{}}
	r.known = []expand.Lookup{r.builtin}
	p := &r.out.Profile
	p.Name, p.Project = m.Name, m.loader.Project
	r.secrets(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	r.volumes()
	r.plain()
	r.extra()
	r.environment(ctx)
	r.settings()
	servers := len(r.out.Origins)
	r.servers()
	if err := schema.Join(r.errs); err != nil {
		return nil, err
	}
	r.sortOrigins(servers)
	return r.out, nil
}

// resolver carries one Resolve.
type resolver struct {
	m          *Merged
	env        Environment
	out        *Resolved
	known      []expand.Lookup // tried in order, before the host's environment
	secretEnv  []EnvVar        // secrets that are delivered as variables
	tainted    bool            // the last expansion used a secret or the host's environment
	usedSecret string          // the last secret that it used
	errs       []*schema.Error
	unknown    map[string]bool // secrets that could not be resolved
	envAt      map[string]int  // index of each variable
}

// Places are the variables that name a place on every machine. Everything
// else is a secret, or a variable of the host.
func Places() []string { return []string{"CWD", "HOME", mcpconf.WorkspaceVar, mcpconf.HomeVar} }

// builtin are the names that mean the same on every machine.
func (r *resolver) builtin(name string) (string, bool) {
	switch name {
	case mcpconf.WorkspaceVar:
		return r.out.Profile.Workspace, r.out.Profile.Workspace != ""
	case mcpconf.HomeVar:
		if r.env.AgentHome == "" {
			return "/home/agent", true
		}
		return r.env.AgentHome, true
	}
	return r.m.loader.place(name)
}

func (r *resolver) lookup(name string) (string, bool) {
	for i, known := range r.known {
		if v, ok := known(name); ok {
			if i > 0 {
				r.tainted, r.usedSecret = true, name
			}
			return v, true
		}
	}
	r.tainted = true
	v, ok := r.host(name)
	if p := &r.out.Profile; v != "" && looksSecret(name, v) && !slices.Contains(p.Sensitive, v) {
		p.Sensitive = append(p.Sensitive, v)
	}
	return v, ok
}

func (r *resolver) host(name string) (string, bool) {
	if r.env.Lookup == nil {
		return "", false
	}
	return r.env.Lookup(name)
}

// fail records an error at a value.
func (r *resolver) fail(v Value, path string, n *yaml.Node, err error) {
	pos := mcpconf.Pos{}
	if v.Layer != nil && v.Layer.File != "" {
		pos = schema.At(v.Layer.File, n)
	} else if v.Flag != "" {
		pos.File = v.Flag
	}
	r.failAt(pos, path, err)
}

// failAt does so at a place. An error may show a value that a variable of the
// host went into: not one that looks like a secret.
func (r *resolver) failAt(pos mcpconf.Pos, path string, err error) {
	shown := func(s string) string { return Hide(s, r.out.Profile.Sensitive) }
	if e, ok := errors.AsType[*expand.UnsetError](err); ok && r.unknown[e.Name] {
		return // the secret's own error says why
	}
	r.errs = append(r.errs, &schema.Error{Pos: pos, Path: path, Msg: shown(err.Error()), Fix: shown(hintOf(err))})
}

// expand replaces the variables of one scalar. Text of the command line is
// literal.
func (r *resolver) expand(v Value, path string, n *yaml.Node) (string, bool) {
	r.tainted, r.usedSecret = false, ""
	s := n.Value
	if v.Layer.File != "" {
		var err error
		if s, err = expand.String(s, r.lookup); err != nil {
			r.fail(v, path, n, err)
			return "", false
		}
	}
	if key, _, _ := strings.Cut(path, "."); r.usedSecret != "" && key != "env" && key != "git" {
		r.fail(v, path, n, &secretError{r.usedSecret})
		return "", false
	}
	element, _, _ := strings.Cut(path, "[")
	if err := r.m.loader.CheckKey(element, s); err != nil {
		r.fail(v, path, n, err)
		return "", false
	}
	return s, true
}

// secretError tells of a secret in a place that others see: an argument list,
// a label, the engine's lists.
type secretError struct{ name string }

func (e *secretError) Error() string {
	return fmt.Sprintf("the secret %q would be seen here by other users of the host or the engine", e.name)
}

// Hint tells how to go on.
func (e *secretError) Hint() string {
	return "hand it over in env, or as a file: secrets: {" + e.name + ": {source: ..., as: file}}"
}

// string resolves the value of a path, or gives the default of its row.
func (r *resolver) string(path string) string {
	row, _ := schema.Profile().Lookup(path)
	v, ok := r.m.Get(path)
	if !ok {
		if row.Default != "" {
			r.origin(path, row.Default, false, Origin{Layer: "default"})
		}
		return row.Default
	}
	s, ok := r.expand(v, path, v.Node)
	if ok && row.Values != nil && !slices.Contains(row.Values, s) {
		r.fail(v, path, v.Node, fmt.Errorf("unknown %s %q; known: %s", row.Name(), v.Node.Value, strings.Join(row.Values, ", ")))
	}
	r.origin(path, s, r.tainted, v.Origin())
	return s
}

// bool resolves a boolean.
func (r *resolver) bool(path string) bool {
	s := r.string(path)
	if v, ok := r.m.Get(path); ok && s != "" && !isBool(s) {
		r.fail(v, path, v.Node, fmt.Errorf("expected true or false, found a string"))
	}
	return strings.EqualFold(s, "true")
}

func isBool(s string) bool { return strings.EqualFold(s, "true") || strings.EqualFold(s, "false") }

// strings resolves a string or a list of them.
func (r *resolver) strings(path string) []string {
	return r.each(path, func(s string) (string, error) { return s, nil })
}

// each does so, and makes each of them what f says.
func (r *resolver) each(path string, f func(string) (string, error)) []string {
	v, ok := r.m.Get(path)
	if !ok {
		return nil
	}
	items := []*yaml.Node{v.Node}
	if v.Node.Kind == yaml.SequenceNode {
		items = v.Node.Content
	}
	out := make([]string, 0, len(items))
	secret := false
	for i, n := range items {
		at := path
		if v.Node.Kind == yaml.SequenceNode {
			at = fmt.Sprintf("%s[%d]", path, i)
		}
		s, ok := r.expand(v, at, n)
		if !ok {
			continue
		}
		s, err := f(s)
		if err != nil {
			r.fail(v, at, n, err)
			continue
		}
		out = append(out, s)
		secret = secret || r.tainted
	}
	r.origin(path, strings.Join(out, ", "), secret, v.Origin())
	return out
}

func (r *resolver) origin(path, value string, secret bool, o Origin) {
	r.out.Origins = append(r.out.Origins, KeyOrigin{Path: path, Value: value, Secret: secret, Origin: o})
}

// plain resolves the keys that need nothing special.
func (r *resolver) plain() {
	p := &r.out.Profile
	p.Description = r.string("description")
	p.Image = r.string("image")
	p.Runner = r.string("runner")
	p.AgentType = r.string("agent_type")
	if v, ok := r.m.Get("agent_type"); ok && p.AgentType != "" && !slices.Contains(target.Names(), p.AgentType) {
		r.fail(v, v.Path, v.Node, unknownType(v.Node.Value))
	}
	r.provider()
	p.Workdir = r.string("workdir")
	if p.Workdir == "" {
		p.Workdir = p.Workspace
		r.origin("workdir", p.Workdir, false, Origin{Layer: "default"})
	}
	p.Interactive = r.bool("interactive")
	p.TTY = r.bool("tty")
	p.Dind = r.bool("dind")
	p.MCPOverride = r.bool("mcp_override")
	p.Entrypoint = r.words("entrypoint")
	p.Command = r.words("command")
	if c := r.m.opts.Command; len(c) > 0 && strings.HasPrefix(c[0], "-") {
		p.Command = append(p.Command, c...)
		r.origin("command", fmt.Sprintf("%q", c), false, Origin{Layer: "flag", Flag: "--"})
	}
}
