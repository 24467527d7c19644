package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"heretic/mcpconf"
	"heretic/mcpconf/target"
	"heretic/profile"
	"heretic/profile/trust"
	"heretic/runner"
	"heretic/session"
)

// agents looks at every profile and, as far as it may, at what it leads to.
func (x *examination) agents(ctx context.Context, engine *runner.Engine, project string) {
	loader, err := x.app.Loader(project)
	if err != nil {
		x.fail("profiles", "", err)
		return
	}
	if _, err := loader.Settings(); err != nil {
		x.fail("settings", "", err)
	}
	entries, err := loader.List()
	if err != nil {
		x.fail("profiles", "", err)
		return
	}
	if len(entries) == 0 {
		x.add(finding{Check: "profiles", Severity: warning, Text: "there are none in " + loader.HereticHome, Fix: "heretic init"})
	}
	for _, e := range entries {
		if ctx.Err() != nil {
			return
		}
		if e.Err != nil {
			x.fail("profile", e.Name, e.Err)
			continue
		}
		x.agent(ctx, engine, loader, e.Name)
	}
}

func (x *examination) agent(ctx context.Context, engine *runner.Engine, loader profile.Loader, name string) {
	merged, err := loader.Merge(name, profile.Options{})
	if err != nil {
		x.fail("profile", name, err)
		return
	}
	powers, err := powersOf(merged, loader.Project)
	if err != nil {
		x.fail("profile", name, err)
		return
	}
	decision, err := trust.Store{HereticHome: loader.HereticHome}.Compare(loader.Project, name, powers)
	if err != nil {
		x.fail("profile", name, err)
		return
	}
	if !decision.Approved() && !x.app.trustNow(false) {
		x.add(finding{Check: "profile", Subject: name, Severity: note,
			Text: "valid; the rest is not looked at before you approved what this project asks for", Fix: "heretic trust " + name})
		return
	}
	resolved, err := merged.Resolve(ctx, x.app.environment())
	if err != nil {
		x.fail("profile", name, err)
		return
	}
	x.add(finding{Check: "profile", Subject: name, Severity: good, Text: "valid, and all its values are there"})
	p := resolved.Profile
	x.servers(name, p)
	if engine != nil {
		x.image(ctx, engine, p)
	}
}

// servers looks for servers that cannot work in a container.
func (x *examination) servers(agent string, p profile.Profile) {
	for _, o := range session.Obstacles(p) {
		x.add(finding{Check: "server", Subject: agent + "/" + o.Server, Severity: warning, Text: o.Text, Fix: o.Fix})
	}
}

// image looks whether the image is there, whether its user can write to the
// project, and whether it has the servers' commands.
func (x *examination) image(ctx context.Context, engine *runner.Engine, p profile.Profile) {
	built := p.Image == "" || p.Image == buildWord
	if built {
		if err := x.app.builtImage(ctx, engine, &p, &runOptions{dryRun: true}); err != nil {
			x.fail("image", p.Name, err)
			return
		}
	}
	info, err := engine.Image(ctx, p.Image)
	if errors.Is(err, runner.ErrNotFound) {
		f := finding{Check: "image", Subject: p.Image, Severity: note, Text: "not here yet; it is pulled when " + p.Name + " is first run", Fix: "docker pull " + p.Image}
		if built {
			f.Text, f.Fix = "not built yet", "heretic image build "+p.AgentType
		}
		x.add(f)
		return
	}
	if err != nil {
		x.fail("image", p.Image, err)
		return
	}
	x.add(finding{Check: "image", Subject: p.Image, Severity: good, Text: "is there"})
	x.owner(ctx, engine, p)
	x.commands(ctx, engine, p, info)
}

// owner compares the container's user with the owner of the project.
func (x *examination) owner(ctx context.Context, engine *runner.Engine, p profile.Profile) {
	if p.Project == "" {
		return
	}
	row, _ := target.Lookup(p.AgentType)
	facts, err := session.Gather(ctx, engine, session.Request{Profile: p, Target: row, Session: p.Name})
	if err != nil {
		x.fail("image", p.Image, err)
		return
	}
	uid := facts.User.UID
	if facts.User.Known && uid != 0 && facts.ProjectUID >= 0 && uid != facts.ProjectUID {
		x.add(finding{Check: "image", Subject: p.Image, Severity: warning,
			Text: fmt.Sprintf("its user has uid %d, the project belongs to uid %d: the agent cannot write there", uid, facts.ProjectUID),
			Fix:  fmt.Sprintf("heretic image build %s --uid %d", p.AgentType, facts.ProjectUID)})
	}
}

// commands looks for the commands of stdio servers in the image. What the
// project or a volume brings is not looked for.
func (x *examination) commands(ctx context.Context, engine *runner.Engine, p profile.Profile, info runner.ImageInfo) {
	var stdio []mcpconf.Server
	for _, s := range p.Servers {
		if s.Type == mcpconf.Stdio && !s.Disabled && !strings.HasPrefix(s.Command, p.Workspace+"/") {
			stdio = append(stdio, s)
		}
	}
	if len(stdio) == 0 {
		return
	}
	id, err := engine.Create(ctx, session.Helper(p.Project, p.Image, p.Extra.Platform))
	if err != nil {
		x.fail("image", p.Image, err)
		return
	}
	defer func() {
		if err := engine.Remove(context.WithoutCancel(ctx), id); err != nil {
			x.fail("image", p.Image, err)
		}
	}()
	for _, s := range stdio {
		found, err := commandIn(ctx, engine, id, s.Command, info)
		if err != nil {
			x.fail("server", p.Name+"/"+s.Name, err)
			return
		}
		if !found {
			x.add(finding{Check: "server", Subject: p.Name + "/" + s.Name, Severity: warning,
				Text: fmt.Sprintf("its command %q is not in the image %s", s.Command, p.Image),
				Fix:  "install it in the image; for packages of npm: heretic image build " + p.AgentType + " --with PACKAGE"})
		}
	}
}

// commandIn tells whether a container has a command, on its PATH or at the
// path that the command is.
func commandIn(ctx context.Context, engine *runner.Engine, id, command string, info runner.ImageInfo) (bool, error) {
	candidates := []string{command}
	if !strings.Contains(command, "/") {
		candidates = nil
		for _, dir := range imagePath(info) {
			candidates = append(candidates, dir+"/"+command)
		}
	}
	for _, path := range candidates {
		content, err := engine.CopyFrom(ctx, id, path)
		if errors.Is(err, runner.ErrNotFound) {
			continue
		}
		if err != nil {
			return false, err
		}
		return true, content.Close()
	}
	return false, nil
}

// imagePath are the directories of the image's PATH.
func imagePath(info runner.ImageInfo) []string {
	for _, v := range info.Env {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			return strings.Split(path, ":")
		}
	}
	return []string{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"}
}
