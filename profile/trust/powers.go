package trust

import (
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"

	"heretic/mcpconf"
	"heretic/profile"
	"heretic/profile/schema"
)

// Powers returns what the project's text asks for, in the order of the text.
// It is empty when no text of the project takes part.
func Powers(m *profile.Merged) []Power {
	a := asker{m: m, project: m.Project()}
	if a.project == "" {
		return nil
	}
	for _, lay := range m.Layers {
		if lay.Project && lay.Extends != "" && lay.Extends != m.Name {
			n := value(lay.Root, "extends")
			a.from(&lay)
			a.add("extends", "extends", "stands on the profile "+lay.Extends, lay.Extends, schema.At(lay.File, n))
		}
	}
	for _, v := range m.Values() {
		a.from(v.Layer)
		if v.Layer.Project {
			a.value(v)
		} else {
			a.foreign(v)
		}
	}
	a.from(nil)
	for _, v := range m.Tokens() {
		a.runs(v)
	}
	if !m.FlagServers() {
		a.servers()
	}
	a.files()
	return a.powers
}

type asker struct {
	m       *profile.Merged
	project string
	powers  []Power

	override bool // what is added is asked for by the override
}

// from tells which layer the following is asked for by.
func (a *asker) from(lay *profile.Layer) { a.override = lay != nil && lay.Override() }

func (a *asker) add(kind, path, what, full string, pos mcpconf.Pos) {
	a.append(newPower(kind, path, what, full, pos))
}

func (a *asker) append(p Power) {
	p.Override = a.override
	a.powers = append(a.powers, p)
}

// value asks for one value of the project's override.
func (a *asker) value(v profile.Value) {
	key, _, _ := strings.Cut(v.Path, ".")
	row, ok := schema.Profile().Lookup(v.Path)
	if !ok {
		row, _ = schema.Profile().Lookup(key)
	}
	switch {
	case key == "volumes":
		a.volumes(v)
	case key == "mcp":
	case key == "mcp_file":
		a.mcpFile(v)
	case key == "secrets":
		a.secret(v)
	case a.free(row, v):
	default:
		a.add(key, v.Path, describe(v), canonical(v.Node), v.Pos())
	}
}

// free tells whether a value of the override stays inside the sandbox. One
// that takes a variable of the host never does.
func (a *asker) free(row schema.Key, v profile.Value) bool {
	if len(hostRefs(v.Node)) > 0 {
		return false
	}
	switch row.Reach {
	case schema.Free:
		return true
	case schema.FreeTrue:
		return v.Node.ShortTag() == "!!bool" && strings.EqualFold(v.Node.Value, "true")
	case schema.FreeFalse:
		return v.Node.ShortTag() == "!!bool" && strings.EqualFold(v.Node.Value, "false")
	case schema.Downwards:
		limit := row.Unset
		if under, ok := a.m.Under(v.Path); ok {
			limit = under.Node.Value
		}
		return limit == "" || notAbove(row, v.Node.Value, limit)
	}
	return false
}

// notAbove tells whether a limit is at most another.
func notAbove(row schema.Key, limit, other string) bool {
	if row.Type == schema.Size {
		x, err1 := schema.Bytes(limit)
		y, err2 := schema.Bytes(other)
		return err1 == nil && err2 == nil && x <= y
	}
	x, err1 := schema.Decimal(limit)
	y, err2 := schema.Decimal(other)
	return err1 == nil && err2 == nil && x <= y
}

// describe shows a value to the user, masked where it may be a secret.
func describe(v profile.Value) string {
	key, _, _ := strings.Cut(v.Path, ".")
	switch {
	case v.Node.ShortTag() == "!!null":
		return "the host's value"
	case key == "env" || key == "git":
		return profile.MaskText(v.Node.Value)
	}
	return display(v.Node)
}

func display(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return n.Value
	}
	var parts []string
	for i := 0; i < len(n.Content); i++ {
		part := display(n.Content[i])
		if n.Kind == yaml.MappingNode {
			i++
			part += ": " + display(n.Content[i])
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// foreign asks for what a value of the user's own layers takes from the
// project: a script to run, a volume that a link leads out of the project.
func (a *asker) foreign(v profile.Value) {
	switch {
	case strings.HasPrefix(v.Path, "secrets."):
		a.runs(v)
	case v.Path == "volumes":
		for _, e := range a.m.VolumeEntries(v) {
			if path, ok := a.m.HostPath(e.Source); ok && !e.Named && a.below(path) && !a.inside(path) {
				real := profile.RealPath(path)
				a.add("volumes", e.Path, fmt.Sprintf("a link in the project: %s is %s", e.Source, real), real+":"+e.Target, e.Pos)
			}
		}
	}
}

// below tells whether a path is in the project as it is written, inside
// whether it still is once links are followed.
func (a *asker) below(path string) bool { return profile.Within(a.project, path) }
func (a *asker) inside(path string) bool {
	return profile.Within(profile.RealPath(a.project), profile.RealPath(path))
}

// volumes asks for each mount that shows more than the project, or puts the
// project's files in the place of the image's: a program, or what configures
// the agent, which has the user's credentials.
func (a *asker) volumes(v profile.Value) {
	workspace := a.workspace()
	seen := false // the workspace itself
	for _, e := range a.m.VolumeEntries(v) {
		source, ok := a.m.HostPath(e.Source)
		switch {
		case e.Named, !ok, !a.inside(source), !isBelow(workspace, e.Target):
		case profile.RealPath(source) == profile.RealPath(a.project):
			if !seen {
				seen = true
				continue
			}
		case !a.guarded(source):
			continue
		}
		what := e.Source + " -> " + e.Target
		if ok && !e.Named && source != e.Source {
			what += " (" + source + ")"
		}
		a.add("volumes", e.Path, what, e.Source+"\x00"+e.Target+"\x00"+e.Access, e.Pos)
	}
}

// workspace is where the layers below the override mount the project.
func (a *asker) workspace() string {
	v, ok := a.m.Under("volumes")
	if !ok {
		return profile.DefaultWorkspace
	}
	for _, e := range a.m.VolumeEntries(v) {
		source, ok := a.m.HostPath(e.Source)
		if ok && !e.Named && profile.RealPath(source) == profile.RealPath(a.project) && !strings.Contains(e.Target, "${") {
			return path.Clean(e.Target)
		}
	}
	return profile.DefaultWorkspace
}

// isBelow tells whether a target is the workspace or lies below it. One whose
// variables have no value yet does not.
func isBelow(workspace, target string) bool {
	target = path.Clean(strings.ReplaceAll(target, "${"+mcpconf.WorkspaceVar+"}", workspace))
	return target == workspace || strings.HasPrefix(target, workspace+"/") && !strings.Contains(target, "${")
}

// guarded tells whether a path of the project is one that heretic protects
// where the project is mounted, and that a second mount would lay open.
func (a *asker) guarded(path string) bool {
	rel, err := filepath.Rel(profile.RealPath(a.project), profile.RealPath(path))
	if err != nil {
		return true
	}
	first, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
	return first == ".git" || first == ".heretic"
}

// mcpFile asks for a file of servers outside of the project. Those of a file
// inside are asked for one by one.
func (a *asker) mcpFile(v profile.Value) {
	path, ok := a.m.HostPath(v.Node.Value)
	if ok && a.inside(path) {
		return
	}
	a.add("mcp_file", v.Path, v.Node.Value, v.Node.Value, v.Pos())
}

// secret asks for a secret of the override: what it runs or reads.
func (a *asker) secret(v profile.Value) {
	if a.runs(v) {
		return
	}
	full := canonical(v.Node)
	a.add("secrets", v.Path, profile.MaskSecret(v.Node), full, v.Pos())
}

// runs asks for running programs of the project on the host, when a secret's
// command line names any. What is in them counts.
func (a *asker) runs(v profile.Value) bool {
	full, found, readable := canonical(v.Node), false, true
	for _, file := range a.m.SecretFiles(v) {
		if a.below(file) || a.inside(file) {
			digest, err := fileDigest(file)
			found, readable = true, readable && err == nil
			full += "\x00" + digest
		}
	}
	if !found {
		return false
	}
	p := newPower("secrets", v.Path, "runs on the host: "+profile.MaskSecret(v.Node), full, v.Pos())
	if !readable {
		p.Digest = "" // what it will be is not known: it is asked for each time
	}
	a.append(p)
	return true
}

// servers asks for the servers that the project's text defines.
func (a *asker) servers() {
	for _, path := range []string{"mcp", "mcp_file"} {
		if v, ok := a.m.Get(path); ok {
			a.from(v.Layer)
		}
	}
	for _, s := range a.m.Servers {
		if s.Disabled || !a.projectText(s.Pos.File) {
			continue
		}
		text, err := json.Marshal(s)
		if err != nil {
			continue
		}
		if s.Tools != nil && len(s.Tools) == 0 {
			text = append(text, " no tools"...) // omitted, it would mean all
		}
		refs := serverRefs(s)
		what := s.URL
		if s.Type == mcpconf.Stdio {
			what = strings.Join(append([]string{s.Command}, s.Args...), " ")
		}
		if len(refs) > 0 {
			what = fmt.Sprintf("gives %s to: %s", strings.Join(refs, ", "), what)
		}
		p := newPower(ServerKind, s.Name, what, string(text), s.Pos)
		p.Free = len(refs) == 0
		a.append(p)
	}
}

// projectText tells whether a file comes with the project.
func (a *asker) projectText(file string) bool {
	return filepath.IsAbs(file) && (a.below(file) || a.inside(file))
}

// files asks for the contents of files of the project that say what the
// container gets.
func (a *asker) files() {
	for _, f := range a.m.Files {
		if !a.projectText(f.Path) {
			continue
		}
		a.from(f.By.Layer)
		a.override = a.override || f.By.Layer == nil // the project's own settings file
		what := "from " + f.Path
		if names := f.Names(); len(names) > 0 {
			what = some(names) + " " + what
		}
		a.add(f.Key, f.Path, what, string(f.Data), mcpconf.Pos{File: f.Path})
	}
}
