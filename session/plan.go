package session

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"heretic/mcpconf"
	"heretic/mcpconf/target"
	"heretic/profile"
	"heretic/runner"
	"heretic/session/home"
	"heretic/session/internal/store"
)

// Plan is one launch, decided: everything that is written, mounted and told to
// the engine. It is a value without effects; [Plan.View] is what a dry run
// shows of it.
type Plan struct {
	Session, Agent, AgentType string
	Project, Workspace        string

	Spec   runner.Spec
	Pull   string
	Detach bool
	Keep   bool
	// DetachKeys as docker takes them.
	DetachKeys string

	Files        []File           // of the session directory
	Servers      []ServerDelivery // in source order
	Placeholders []Placeholder    // of the work tree
	Secrets      []profile.SecretFile
	Home         *HomePlan // nil: the agent has none
	Trusted      bool      // the workspace is trusted in the agent
	Notes        []mcpconf.Note

	// emptyHooks is a hooks folder outside of the project that is made, and
	// stays, as git makes it.
	emptyHooks string

	hidden    []string // values that are not shown
	userKey   string   // what to remember imageUser under
	imageUser home.User
	// secretUser owns the secrets that are files.
	secretUser home.User
}

// File is a file of the session directory.
type File struct {
	Name string // below the session directory
	Data []byte
}

// Placeholder is an empty file, or folder, that a mount inside the project
// lands on. It goes when the last container that uses it is gone.
type Placeholder = store.Placeholder

// Delivered says how far a server gets.
type Delivered string

// How far a server gets.
const (
	AsFile     Delivered = "mounted"     // a read-only file
	AsSettings Delivered = "in settings" // a part of a file of the agent home
	Hidden     Delivered = "not mounted" // the project's own file is used
	LeftOut    Delivered = "left out"    // disabled, or the agent cannot use it
)

// ServerDelivery tells how a server reaches the agent.
type ServerDelivery struct {
	Name      string            `json:"name"`
	Transport mcpconf.Transport `json:"transport"`
	Delivered Delivered         `json:"delivered"`
	At        []string          `json:"at,omitempty"` // in the container
	// Approved tells that the user stands behind the server; an agent that
	// asks about servers does not ask about it.
	Approved bool   `json:"approved"`
	Why      string `json:"why,omitempty"`
}

// planner is a plan in the making.
type planner struct {
	Request
	f Facts
	p *Plan

	serversPart *home.Servers
	places      []string // where the container has the project
	covered     string   // the project's file that is mounted over
}

// NewPlan decides a launch. It has no side effects and looks at nothing but
// its arguments.
func NewPlan(req Request, f Facts) (Plan, error) {
	if err := profile.CheckName("session", req.Session); err != nil {
		return Plan{}, err
	}
	prof := req.Profile
	p := &Plan{
		Session: req.Session, Agent: prof.Name, AgentType: req.Target.Name,
		Project: prof.Project, Workspace: prof.Workspace,
		Pull: req.Pull, Detach: req.Detach, Keep: req.Keep, DetachKeys: req.DetachKeys,
		Secrets: prof.SecretFiles,
		Trusted: req.Trusted || len(f.Activates) == 0,
		hidden:  prof.Hidden(), userKey: f.UserKey, imageUser: f.ImageUser,
	}
	if f.Pulled {
		p.Pull = "missing"
	}
	b := &planner{Request: req, f: f, p: p}
	b.container()
	b.environment()
	b.wall()
	if err := b.servers(); err != nil {
		return Plan{}, err
	}
	for _, broken := range f.Broken {
		b.note("%s may refuse to start: the project's %s is %s", req.Target.Title, broken.Path, broken.describe())
	}
	b.trustNote()
	for _, o := range Obstacles(prof) {
		p.Notes = append(p.Notes, mcpconf.Note{Server: o.Server, Field: o.Field, Text: o.Text + ": " + o.Fix})
	}
	b.agentHome()
	b.gitEnvironment()
	if err := b.secrets(); err != nil {
		return Plan{}, err
	}
	b.mountPoints()
	if len(p.Placeholders) > 0 {
		p.Spec.Labels[LabelPlaceholders] = joinPlaceholders(p.Placeholders)
	}
	return *p, nil
}

func (b *planner) note(format string, args ...any) {
	b.p.Notes = append(b.p.Notes, mcpconf.Note{Text: fmt.Sprintf(format, args...)})
}

// sessionFile is the host's path of a file of the session.
func (b *planner) sessionFile(name ...string) string {
	return filepath.Join(b.p.Project, ".heretic", "temp", b.p.Session, filepath.Join(name...))
}

// trustNote says why the agent asks, or has no servers, although they are
// there.
func (b *planner) trustNote() {
	t := b.Target
	if b.p.Trusted || !t.AsksTrust() {
		return
	}
	what := "asks before it trusts this folder"
	if t.NeedsTrust {
		what += ", and has no MCP servers until it does"
	}
	b.note("%s %s: it would obey the project's %s; approve that beforehand with: heretic trust %s", t.Title, what, strings.Join(b.f.Activates, ", "), b.Profile.Name)
}

func (b *planner) container() {
	prof, x := b.Profile, b.Profile.Extra
	labels := map[string]string{}
	for _, l := range x.Labels {
		labels[l.Name] = l.Value
	}
	maps.Copy(labels, b.labels())
	b.p.Spec = runner.Spec{
		Name: ContainerName(b.Session, prof.Project), Image: prof.Image, Platform: x.Platform,
		Entrypoint: prof.Entrypoint, Cmd: prof.Command, WorkingDir: prof.Workdir,
		User: x.User, Hostname: x.Hostname, Labels: labels,
		TTY:         prof.TTY && b.Terminal,
		Interactive: prof.Interactive && (b.Terminal || !b.Detach),
		Network:     x.Network, Ports: x.Ports, AddHosts: x.AddHosts, DNS: x.DNS,
		CapAdd: x.CapAdd, Privileged: x.Privileged, SecurityOpt: x.SecurityOpt,
		Devices: x.Devices, GPUs: x.GPUs, Ulimits: x.Ulimits,
		Memory: x.Memory, CPUs: x.CPUs, ShmSize: x.ShmSize,
		ReadOnlyRoot: x.ReadOnly, Init: x.Init,
	}
	if x.Init == nil && !b.f.HasInit {
		on := true
		b.p.Spec.Init = &on
	}
	if x.Hardened {
		b.p.Spec.CapDrop = hardenedDrop()
		b.p.Spec.SecurityOpt = append(slices.Clone(x.SecurityOpt), "no-new-privileges")
	}
	if x.Hostname == "" && x.Network != "host" && !strings.HasPrefix(x.Network, "container:") {
		b.p.Spec.Hostname = hostname(b.Session)
	}
	for _, t := range x.Tmpfs {
		target, options, _ := strings.Cut(t, ":")
		if b.p.Spec.Tmpfs == nil {
			b.p.Spec.Tmpfs = map[string]string{}
		}
		b.p.Spec.Tmpfs[target] = options
	}
	for _, v := range prof.Volumes {
		m := runner.Mount{Type: runner.Bind, Source: v.Source, Target: v.Target, ReadOnly: v.ReadOnly}
		if v.Named {
			m.Type = runner.Volume
		}
		b.p.Spec.Mounts = append(b.p.Spec.Mounts, m)
	}
	if prof.Dind && b.EngineSocket != "" {
		b.mount(runner.Mount{Type: runner.Bind, Source: b.EngineSocket, Target: "/var/run/docker.sock", OnEngine: true})
		b.note("the engine's socket is inside (dind): whoever holds it can do everything on the host")
	}
}

// mount adds a mount of ours, unless the user put something at its place.
func (b *planner) mount(m runner.Mount) bool {
	if slices.ContainsFunc(b.p.Spec.Mounts, func(o runner.Mount) bool { return path.Clean(o.Target) == m.Target }) {
		return false
	}
	b.p.Spec.Mounts = append(b.p.Spec.Mounts, m)
	return true
}

func (b *planner) environment() {
	env := b.Profile.Env
	set := map[string]bool{}
	for _, v := range env {
		set[v.Name] = true
		b.p.Spec.Env = append(b.p.Spec.Env, v.Name+"="+v.Value)
	}
	for _, v := range b.ProxyEnv {
		if name, value, _ := strings.Cut(v, "="); !set[name] {
			set[name] = true
			b.p.Spec.Env = append(b.p.Spec.Env, v)
			if value != "" {
				b.p.hidden = append(b.p.hidden, value)
			}
		}
	}
	ours := b.Target.Env
	if b.p.Trusted {
		ours = slices.Concat(ours, b.Target.TrustEnv)
	}
	for _, v := range ours {
		if !set[v.Name] {
			set[v.Name] = true
			b.p.Spec.Env = append(b.p.Spec.Env, v.Name+"="+b.expand(v.Value))
		}
	}
}

// expand fills in what a row of data leaves open.
func (b *planner) expand(s string) string {
	return strings.NewReplacer("{home}", b.homes()[0], "{workspace}", b.p.Workspace).Replace(s)
}

// homes are the homes that the container's user may have, the likeliest first.
func (b *planner) homes() []string {
	homes := []string{"/home/agent", "/root"}
	if b.f.User.Known && b.f.User.Home != "" {
		homes = slices.Insert(homes, 0, b.f.User.Home)
	}
	var unique []string
	for _, h := range homes {
		if h = path.Clean(h); !slices.Contains(unique, h) {
			unique = append(unique, h)
		}
	}
	return unique
}

// mountPoint is the file of the project that a generated file is mounted over;
// empty for a target that is delivered in the agent home.
func mountPoint(t target.Target) string {
	if t.Delivery == target.Workspace {
		return t.Path
	}
	return ""
}
