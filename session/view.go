package session

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"heretic/mcpconf"
	"heretic/profile"
)

// View is what a dry run shows of a plan: names of variables and secrets,
// never a value of one.
type View struct {
	Container    string            `json:"container"`
	Session      string            `json:"session"`
	Agent        string            `json:"agent"`
	AgentType    string            `json:"agent_type"`
	Project      string            `json:"project"`
	Workspace    string            `json:"workspace"`
	Image        string            `json:"image"`
	Pull         string            `json:"pull"`
	Platform     string            `json:"platform,omitempty"`
	Entrypoint   []string          `json:"entrypoint,omitempty"`
	Command      []string          `json:"command,omitempty"`
	Workdir      string            `json:"workdir,omitempty"`
	User         string            `json:"user,omitempty"`
	Hostname     string            `json:"hostname,omitempty"`
	TTY          bool              `json:"tty"`
	Interactive  bool              `json:"interactive"`
	Network      string            `json:"network,omitempty"`
	Ports        []string          `json:"ports,omitempty"`
	Privileged   bool              `json:"privileged,omitempty"`
	Mounts       []ViewMount       `json:"mounts"`
	Env          []string          `json:"env"`
	Secrets      []string          `json:"secrets,omitempty"`
	Labels       map[string]string `json:"labels"`
	Files        []ViewFile        `json:"files"`
	Placeholders []string          `json:"placeholders,omitempty"`
	Servers      []ServerDelivery  `json:"servers"`
	Trusted      bool              `json:"trusted"`
	Notes        []mcpconf.Note    `json:"notes,omitempty"`
}

// ViewMount is one mount of a [View].
type ViewMount struct {
	Type     string `json:"type"`
	Source   string `json:"source,omitempty"`
	Target   string `json:"target"`
	ReadOnly bool   `json:"readonly"`
}

// ViewFile is one generated file of a [View].
type ViewFile struct {
	Path string `json:"path"` // on the host
	Size int    `json:"size"` // in bytes
}

// View returns what may be shown of the plan.
func (p Plan) View() View {
	s := p.Spec
	v := View{
		Container: s.Name, Session: p.Session, Agent: p.Agent, AgentType: p.AgentType,
		Project: p.Project, Workspace: p.Workspace, Image: s.Image, Pull: p.Pull, Platform: s.Platform,
		Entrypoint: p.maskAll(s.Entrypoint), Command: p.maskAll(s.Cmd), Workdir: p.mask(s.WorkingDir), User: p.mask(s.User), Hostname: p.mask(s.Hostname),
		TTY: s.TTY, Interactive: s.Interactive, Network: p.mask(s.Network), Ports: p.maskAll(s.Ports), Privileged: s.Privileged,
		Mounts: []ViewMount{}, Env: []string{}, Labels: p.maskLabels(s.Labels),
		Files: []ViewFile{}, Servers: p.Servers, Trusted: p.Trusted, Notes: p.Notes,
	}
	if v.Pull == "" {
		v.Pull = "missing"
	}
	if v.Servers == nil {
		v.Servers = []ServerDelivery{}
	}
	for _, m := range s.Mounts {
		v.Mounts = append(v.Mounts, ViewMount{string(m.Type), p.mask(m.Source), p.mask(m.Target), m.ReadOnly})
	}
	for _, e := range s.Env {
		name, _, _ := strings.Cut(e, "=")
		v.Env = append(v.Env, name)
	}
	for _, f := range p.Secrets {
		v.Secrets = append(v.Secrets, f.Name)
	}
	for _, f := range p.Files {
		v.Files = append(v.Files, ViewFile{filepath.Join(p.Project, ".heretic", "temp", p.Session, f.Name), len(f.Data)})
	}
	for _, ph := range p.Placeholders {
		v.Placeholders = append(v.Placeholders, ph.Path)
	}
	return v
}

// mask takes secrets out of a text.
func (p Plan) mask(s string) string { return profile.Hide(s, p.hidden) }

func (p Plan) maskAll(words []string) []string {
	masked := slices.Clone(words)
	for i, w := range masked {
		masked[i] = p.mask(w)
	}
	return masked
}

func (p Plan) maskLabels(labels map[string]string) map[string]string {
	masked := maps.Clone(labels)
	for k, v := range masked {
		masked[k] = p.mask(v)
	}
	return masked
}

// MarshalJSON marshals the [View] of the plan.
func (p Plan) MarshalJSON() ([]byte, error) { return json.Marshal(p.View()) }
