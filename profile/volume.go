package profile

import (
	"fmt"
	"os"
	"path"
	"strings"

	"gopkg.in/yaml.v3"

	"heretic/mcpconf"
	"heretic/profile/internal/expand"
)

// DefaultWorkspace is where the project is mounted unless a volume says
// otherwise.
const DefaultWorkspace = "/workspace"

// rawVolume is one entry before its variables have values.
type rawVolume struct {
	v                      Value
	path                   string // of the entry: volumes[0]
	node                   *yaml.Node
	source, target, access string
	short                  bool // written as source:target
}

// splitVolume cuts source:target[:access]. A colon inside ${...} does not cut,
// nor does that of a Windows drive.
func splitVolume(s string) (source, target, access string, err error) {
	rest, drive := s, ""
	if isDrive(s) && len(expand.Split(s, ':', -1)) > 2 {
		drive, rest = s[:2], s[2:]
	}
	parts := expand.Split(rest, ':', -1)
	switch {
	case len(parts) == 1:
		return "", "", "", fmt.Errorf("a volume is source:target, and %q has no target", s)
	case len(parts) > 3:
		return "", "", "", fmt.Errorf("%q has too many parts; a volume is source:target[:ro]", s)
	}
	if parts[0] == "" || parts[1] == "" {
		return "", "", "", fmt.Errorf("a volume is source:target, and one of them is empty in %q", s)
	}
	if len(parts) == 3 {
		access = parts[2]
	}
	return drive + parts[0], parts[1], access, nil
}

// readOnly reads the third part of a volume.
func readOnly(access string) (bool, error) {
	ro := false
	for opt := range strings.SplitSeq(access, ",") {
		switch opt {
		case "ro", "readonly":
			ro = true
		case "", "rw", "cached", "delegated", "consistent":
		default:
			return false, fmt.Errorf("unknown volume option %q; known: ro, rw", opt)
		}
	}
	return ro, nil
}

// VolumeEntry is one entry of volumes as it is written.
type VolumeEntry struct {
	Path                   string // volumes[0]
	Source, Target, Access string
	Named                  bool
	Pos                    mcpconf.Pos
}

// VolumeEntries returns the entries of a value of volumes, with their
// variables. One that is a single variable has it as its source.
func (m *Merged) VolumeEntries(v Value) []VolumeEntry {
	var entries []VolumeEntry
	for _, item := range v.items() {
		e := VolumeEntry{Path: item.Path, Pos: item.Pos()}
		if item.Node.Kind == yaml.MappingNode {
			e.Source, e.Target = child(item.Node, "source").Value, child(item.Node, "target").Value
			if ro := child(item.Node, "readonly"); ro != nil && strings.EqualFold(ro.Value, "true") {
				e.Access = "ro"
			}
		} else if source, target, access, err := splitVolume(item.Node.Value); err == nil {
			e.Source, e.Target, e.Access = source, target, access
		} else {
			e.Source = item.Node.Value
		}
		e.Named = isVolumeName(e.Source) && !strings.Contains(e.Source, "${")
		entries = append(entries, e)
	}
	return entries
}

// rawVolumes returns the entries of the winning layer and of the command line.
func (r *resolver) rawVolumes() []rawVolume {
	var raws []rawVolume
	add := func(v Value, at string, n *yaml.Node) {
		raw := rawVolume{v: v, path: at, node: n}
		if n.Kind == yaml.MappingNode {
			for key, to := range map[string]*string{"source": &raw.source, "target": &raw.target} {
				raw.v.Node = child(n, key)
				if s, ok := r.expand(v, at+"."+key, child(n, key)); ok {
					*to = s
				}
			}
			if ro := child(n, "readonly"); ro != nil && strings.EqualFold(ro.Value, "true") {
				raw.access = "ro"
			}
			raw.v = v
			raws = append(raws, raw)
			return
		}
		if s, ok := r.shortVolume(v, at, n); ok {
			raw.short = true
			raw.source, raw.target, raw.access = s[0], s[1], s[2]
			raws = append(raws, raw)
		}
	}
	if v, ok := r.m.Get("volumes"); ok {
		for i, n := range v.Node.Content {
			add(v, fmt.Sprintf("volumes[%d]", i), n)
		}
	}
	for _, v := range r.m.added {
		add(v, "volumes", v.Node)
	}
	return raws
}

// shortVolume reads source:target[:access]. The text is cut first, so that a
// value with a colon stays whole; only when it is one reference is it cut
// after expansion.
func (r *resolver) shortVolume(v Value, at string, n *yaml.Node) (parts [3]string, ok bool) {
	whole := *n
	if _, sole := expand.Sole(n.Value); sole && v.Layer.File != "" {
		s, ok := r.expand(v, at, n)
		if !ok {
			return parts, false
		}
		whole.Value = expand.Escape(s)
	}
	source, target, access, err := splitVolume(whole.Value)
	if err != nil {
		r.fail(v, at, n, err)
		return parts, false
	}
	for i, part := range []string{source, target, access} {
		one := whole
		one.Value = part
		if parts[i], ok = r.expand(v, at, &one); !ok {
			return parts, false
		}
	}
	return parts, true
}

// volumes resolves the mounts and, with them, the workspace.
func (r *resolver) volumes() {
	p := &r.out.Profile
	moved := r.findWorkspace()
	targets := map[string]string{}
	takesDefault := false
	for _, raw := range r.rawVolumes() {
		vol, err := r.volume(raw)
		if err != nil {
			r.fail(raw.v, raw.path, raw.node, err)
			continue
		}
		if first, ok := targets[vol.Target]; ok {
			r.fail(raw.v, raw.path, raw.node, fmt.Errorf("%s is the target of %s already", vol.Target, first))
			continue
		}
		targets[vol.Target] = raw.path
		takesDefault = takesDefault || vol.Target == DefaultWorkspace
		p.Volumes = append(p.Volumes, vol)
		origin := raw.v.Origin()
		if vol.Pos.Line > 0 {
			origin.Pos = vol.Pos
		}
		r.origin(raw.path, vol.String(), false, origin)
	}
	if !moved && !takesDefault && p.Project != "" {
		project := Volume{Source: p.Project, Target: DefaultWorkspace}
		p.Volumes = append([]Volume{project}, p.Volumes...)
		r.origin("volumes", project.String(), false, Origin{Layer: "default"})
	}
}

// findWorkspace sets the workspace: the target of the first entry that mounts
// the project, else the default. It goes first, since other entries may name
// it. What is wrong with an entry is said later.
func (r *resolver) findWorkspace() (moved bool) {
	p := &r.out.Profile
	p.Workspace = ""
	values := r.m.added
	if v, ok := r.m.Get("volumes"); ok {
		values = append([]Value{v}, values...)
	}
	for _, v := range values {
		for _, e := range r.m.VolumeEntries(v) {
			source, err1 := expand.String(e.Source, r.lookup)
			target, err2 := expand.String(e.Target, r.lookup)
			if target == "" {
				source, target, _, _ = splitVolume(source)
			}
			if err1 != nil || err2 != nil || isVolumeName(source) || !path.IsAbs(target) {
				continue
			}
			if file, err := r.m.loader.hostPath(source, r.env.Home); err == nil && sameFile(file, p.Project) {
				p.Workspace = path.Clean(target)
				return true
			}
		}
	}
	p.Workspace = DefaultWorkspace
	return false
}

// volume checks one entry and makes its paths absolute.
func (r *resolver) volume(raw rawVolume) (Volume, error) {
	v := Volume{Pos: raw.v.Pos()}
	if raw.v.Layer.File != "" {
		v.Pos = mcpconf.Pos{File: raw.v.Layer.File, Line: raw.node.Line, Col: raw.node.Column}
	}
	var err error
	if v.ReadOnly, err = readOnly(raw.access); err != nil {
		return v, err
	}
	v.Target = path.Clean(raw.target)
	switch {
	case !path.IsAbs(v.Target):
		return v, fmt.Errorf("the target %q is not an absolute path", raw.target)
	case v.Target == "/":
		return v, fmt.Errorf("the target cannot be /")
	}
	if isVolumeName(raw.source) {
		v.Source, v.Named = raw.source, true
		if len(v.Source) < 2 {
			return v, fmt.Errorf("the volume name %q is too short: at least two characters", v.Source)
		}
		return v, nil
	}
	if v.Source, err = r.m.loader.hostPath(raw.source, r.env.Home); err != nil {
		return v, err
	}
	if _, err := os.Stat(v.Source); err != nil {
		return v, &hinted{fmt.Errorf("volume source not found: %s", v.Source), "create it, or correct the path (a relative one is taken from the project)"}
	}
	return v, nil
}

// isVolumeName tells a named volume from a path.
func isVolumeName(s string) bool {
	if s == "" || s == "." || s == ".." || s[0] == '~' || isDrive(s) {
		return false
	}
	return !strings.ContainsAny(s, `/\`)
}

func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// String is the volume as docker run -v takes it.
func (v Volume) String() string {
	s := v.Source + ":" + v.Target
	if v.ReadOnly {
		s += ":ro"
	}
	return s
}
