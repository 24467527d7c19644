package session

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"heretic/mcpconf"
	"heretic/mcpconf/target"
	"heretic/runner"
	"heretic/session/home"
)

// servers decides what is generated from the profile's servers, and how it
// reaches the agent.
func (b *planner) servers() error {
	t := b.Target
	enabled := slices.DeleteFunc(slices.Clone(b.Profile.Servers), func(s mcpconf.Server) bool { return s.Disabled })
	if t.Delivery == target.HomeMerge {
		b.serversPart = &home.Servers{File: t.Path, Form: t.Form}
	}
	if len(enabled) == 0 {
		b.deliver(nil, LeftOut, nil)
		return nil
	}
	if t.NoMCP != "" {
		b.note("%s", t.NoMCP)
	}
	if t.Delivery == target.HomeMerge {
		return b.intoSettings()
	}
	r, err := b.render()
	if err != nil {
		return err
	}
	b.p.Notes = append(b.p.Notes, r.Notes...)
	name := generatedName(t)
	b.p.Files = append(b.p.Files, File{Name: name, Data: r.Data})
	source := b.sessionFile(name)
	delivered := AsFile
	if t.OwnFileWins && b.ownFileWins() {
		delivered = Hidden
		source = ""
		if t.Delivery == target.HomeFile {
			source = filepath.Join(b.p.Project, filepath.FromSlash(t.OwnFile))
		}
	}
	var at []string
	if t.Delivery == target.HomeFile {
		for _, home := range b.homes() {
			at = append(at, path.Join(home, t.Path))
		}
	} else {
		if err := b.checkMountPoint(); err != nil && delivered == AsFile {
			return err
		}
		at = []string{path.Join(b.p.Workspace, t.Path)}
	}
	if source != "" {
		for _, place := range at {
			if !b.mount(runner.Mount{Type: runner.Bind, Source: source, Target: place, ReadOnly: true}) {
				b.note("a volume of the profile takes the place of the generated %s", place)
				delivered = Hidden
			}
		}
	}
	if delivered == AsFile && t.Delivery == target.Workspace {
		b.coverWorkspaceFile()
	}
	if delivered == Hidden {
		at = nil
	}
	b.deliver(r.Servers, delivered, at)
	return nil
}

// generatedName is the generated file's name in the session directory.
func generatedName(t target.Target) string {
	if t.Delivery == target.Workspace {
		return path.Base(t.Path)
	}
	return ".mcp.json"
}

func (b *planner) render() (mcpconf.Rendered, error) {
	t := b.Target
	if t.MergeOwnFile {
		switch b.f.Own.State {
		case Usable, NoServers:
			return mcpconf.Update(t.Form, t.OwnFile, b.f.Own.Data, b.Profile.Servers, mcpconf.RenderOptions{})
		case Broken:
			b.note("the project's %s does not parse (%s): the container gets the generated servers alone", t.OwnFile, b.f.Own.Reason)
		}
	}
	return mcpconf.Render(t.Form, b.Profile.Servers, mcpconf.RenderOptions{})
}

// ownFileWins applies the rule that a usable configuration of the project is
// left to the agent, and says what becomes of one.
func (b *planner) ownFileWins() bool {
	name, own := b.Target.OwnFile, b.f.Own
	switch own.State {
	case Usable:
		if b.Profile.MCPOverride {
			b.note("mcp_override: the generated servers are mounted over the project's %s", name)
			return false
		}
		b.note("the project's own %s is used; the generated servers are not mounted (mcp_override: true would mount them)", name)
		return true
	case Empty:
		if !own.Ours {
			b.note("the project's %s is empty and counts as absent", name)
		}
	case Broken:
		b.note("the project's %s is not valid JSON (%s) and counts as absent", name, own.Reason)
	case NoServers:
		b.note("the project's %s has no servers and counts as absent", name)
	}
	return false
}

// checkMountPoint refuses what would send the mount elsewhere.
func (b *planner) checkMountPoint() error {
	m := b.f.Mount
	switch m.State {
	case Symlink, Directory, Special:
		return withHint("move it away, or set mcp: [] to run without servers",
			"the project's %s is a %s: the generated file cannot be mounted over it", m.Path, m.State)
	}
	return nil
}

// coverWorkspaceFile sees to it that there is something to mount over.
func (b *planner) coverWorkspaceFile() {
	b.covered = b.f.Mount.Path
	if m := b.f.Mount; m.State == Absent || m.Ours {
		b.p.Placeholders = append(b.p.Placeholders, Placeholder{Path: m.Path})
	}
}

// intoSettings plans servers that are a part of a file the agent owns. They
// are rendered here to find what is wrong with them before anything happens.
func (b *planner) intoSettings() error {
	r, err := b.render()
	if err != nil {
		return err
	}
	b.p.Notes = append(b.p.Notes, r.Notes...)
	var at []string
	for _, home := range b.homes() {
		at = append(at, path.Join(home, b.Target.Path))
	}
	b.deliver(r.Servers, AsSettings, at)
	b.serversPart = &home.Servers{File: b.Target.Path, Form: b.Target.Form, Servers: b.Profile.Servers, PassEnv: b.passEnv()}
	return nil
}

// passEnv are the variables of the container that the servers of this agent
// must be given.
func (b *planner) passEnv() []string {
	return slices.DeleteFunc(slices.Clone(b.Target.PassEnv), func(name string) bool {
		return !slices.ContainsFunc(b.p.Spec.Env, func(e string) bool { return strings.HasPrefix(e, name+"=") })
	})
}

// deliver enters each server of the profile; rendered are those that the
// agent's form could express.
func (b *planner) deliver(rendered []string, how Delivered, at []string) {
	for _, s := range b.Profile.Servers {
		d := ServerDelivery{Name: s.Name, Transport: s.Type, Delivered: how, At: at, Approved: b.Approved && how != Hidden}
		switch {
		case s.Disabled:
			d = ServerDelivery{Name: s.Name, Transport: s.Type, Delivered: LeftOut, Why: "disabled"}
		case !slices.Contains(rendered, s.Name):
			d = ServerDelivery{Name: s.Name, Transport: s.Type, Delivered: LeftOut, Why: fmt.Sprintf("%s cannot use it", b.Target.Title)}
		case how == Hidden:
			d.Why = fmt.Sprintf("the project's own %s is used", b.Target.OwnFile)
		}
		b.p.Servers = append(b.p.Servers, d)
	}
}
