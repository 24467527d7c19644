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

// VolumeEntry is one entry of volumes.
type VolumeEntry struct {
	Path                   string // volumes[0]
	Source, Target, Access string
	Named                  bool
	Pos                    mcpconf.Pos

	value Value
	err   error // the text is no volume
}

// VolumeEntries returns the entries of a value of volumes as they are written,
// with their variables. One that is a single variable has it as its source.
func (m *Merged) VolumeEntries(v Value) []VolumeEntry {
	var entries []VolumeEntry
	for _, item := range v.items() {
		e := VolumeEntry{Path: item.Path, Pos: item.Pos(), value: item}
		if item.Node.Kind == yaml.MappingNode {
			e.Source, e.Target = child(item.Node, "source").Value, child(item.Node, "target").Value
			if ro := child(item.Node, "readonly"); ro != nil {
				e.Access = access(ro.Value)
			}
		} else {
			e.cut(item.Node.Value)
		}
		e.Named = isVolumeName(e.Source) && !strings.Contains(e.Source, "${")
		entries = append(entries, e)
	}
	return entries
}

// cut reads source:target[:access]; text that is none is the source.
func (e *VolumeEntry) cut(text string) {
	if e.Source, e.Target, e.Access, e.err = splitVolume(text); e.err != nil {
		e.Source = text
	}
}

// access is the third part that stands for a value of readonly.
func access(readonly string) string {
	switch strings.ToLower(readonly) {
	case "true":
		return "ro"
	case "false":
		return ""
	}
	return readonly
}

// entries returns the volumes of the winning layer and of the command line.
func (r *resolver) entries() []VolumeEntry {
	var entries []VolumeEntry
	if v, ok := r.m.Get("volumes"); ok {
		entries = r.m.VolumeEntries(v)
	}
	for _, v := range r.m.added {
		entries = append(entries, r.m.VolumeEntries(v)...)
	}
	return entries
}

// expandEntry replaces the variables of an entry. The text was cut before, so
// that a value with a colon stays whole; only what is one reference is cut
// after.
func (r *resolver) expandEntry(e VolumeEntry) (VolumeEntry, error) {
	if e.value.Layer.File == "" {
		return e, e.err
	}
	r.usedSecret = ""
	e, err := r.expandParts(e)
	if r.usedSecret != "" { // whatever else is wrong would show it
		err = &secretError{r.usedSecret}
	}
	return e, err
}

func (r *resolver) expandParts(e VolumeEntry) (VolumeEntry, error) {
	if _, sole := expand.Sole(e.Source); sole && e.Target == "" {
		text, err := expand.String(e.Source, r.lookup)
		if err != nil {
			return e, err
		}
		e.cut(text)
		return e, e.err
	}
	if e.err != nil {
		return e, e.err
	}
	for _, part := range []*string{&e.Source, &e.Target, &e.Access} {
		text, err := expand.String(*part, r.lookup)
		if err != nil {
			return e, err
		}
		*part = text
	}
	if e.value.Node.Kind == yaml.MappingNode {
		e.Access = access(e.Access)
	}
	return e, nil
}

// volumes resolves the mounts and, with them, the workspace.
func (r *resolver) volumes() {
	p := &r.out.Profile
	moved := r.findWorkspace()
	targets := map[string]string{}
	for _, e := range r.entries() {
		vol, err := r.volume(e)
		if first, ok := targets[vol.Target]; ok && err == nil {
			err = sameTarget(vol.Target, first)
		}
		if err != nil {
			r.fail(e.value, e.Path, e.value.Node, err)
			continue
		}
		targets[vol.Target] = e.Path
		p.Volumes = append(p.Volumes, vol)
		r.origin(e.Path, vol.String(), false, e.value.Origin())
	}
	if _, taken := targets[DefaultWorkspace]; !moved && !taken && p.Project != "" {
		project := Volume{Source: p.Project, Target: DefaultWorkspace, Origin: Origin{Layer: "default"}}
		p.Volumes = append([]Volume{project}, p.Volumes...)
		r.origin("volumes", project.String(), false, project.Origin)
	}
}

// findWorkspace sets the workspace: the target of the first entry that mounts
// the project, else the default. It goes first, since other entries may name
// it. What is wrong with an entry is said later.
func (r *resolver) findWorkspace() (moved bool) {
	p := &r.out.Profile
	for _, e := range r.entries() {
		e, err := r.expandEntry(e)
		if err != nil || isVolumeName(e.Source) || !path.IsAbs(e.Target) {
			continue
		}
		if file, err := r.m.loader.hostPath(e.Source); err == nil && sameFile(file, p.Project) {
			p.Workspace = path.Clean(e.Target)
			return true
		}
	}
	p.Workspace = DefaultWorkspace
	return false
}

// volume checks one entry and makes its paths absolute.
func (r *resolver) volume(e VolumeEntry) (Volume, error) {
	e, err := r.expandEntry(e)
	if err != nil {
		return Volume{}, err
	}
	v := Volume{Origin: e.value.Origin()}
	if v.ReadOnly, err = readOnly(e.Access); err != nil {
		return v, err
	}
	if v.Target, err = checkTarget(e.Target); err != nil {
		return v, err
	}
	if isVolumeName(e.Source) {
		v.Source, v.Named = e.Source, true
		return v, checkVolumeName(v.Source)
	}
	if v.Source, err = r.m.loader.hostPath(e.Source); err != nil {
		return v, err
	}
	info, err := os.Stat(v.Source)
	if err != nil {
		return v, &hinted{fmt.Errorf("volume source not found: %s", v.Source), "create it, or correct the path (a relative one is taken from the project)"}
	}
	v.File = !info.IsDir()
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
