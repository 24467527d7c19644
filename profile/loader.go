package profile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"heretic/profile/internal/fsread"
	"heretic/profile/schema"
)

// Loader finds and reads the files of profiles. All paths are absolute.
type Loader struct {
	HereticHome string // global profiles are in its agents folder
	Home        string // what ~ and ${HOME} stand for
	Project     string // "": no project, hence no local override
	// Lookup reads the host's environment, for variables in the path of a
	// file that takes part in merging (mcp_file, env_file). nil: none is set.
	Lookup func(string) (string, bool)
	// CheckValue returns an error for a value that an engine would refuse;
	// path is that of the key ("extra.ports"), value one element of a list.
	// nil: such values are not checked here.
	CheckValue func(path, value string) error

	unchecked bool // take a file's keys as they are
}

// LocalDir is where a project's overrides are, below the project.
const LocalDir = ".heretic/cli"

// legacyLocal is the name of the one override that earlier versions had.
const legacyLocal = "agent"

// GlobalPath is the file of a global profile.
func (l Loader) GlobalPath(name string) string {
	return filepath.Join(l.HereticHome, "agents", name+".yaml")
}

// LocalPath is the file of a project's override.
func (l Loader) LocalPath(name string) string {
	return filepath.Join(l.Project, filepath.FromSlash(LocalDir), name+".yaml")
}

// Layer is one source of values.
type Layer struct {
	Name    string // "local", "flag", or "global" and for the profiles it extends their name
	File    string // "" for flags
	Root    *yaml.Node
	Project bool // the text comes with the project
	Extends string
}

// global reads a global profile; fs.ErrNotExist when there is none. One that
// really is in the project, by a link, comes with the project.
func (l Loader) global(name string) (*Layer, error) {
	file := l.GlobalPath(name)
	data, err := fsread.File(file, schema.MaxSize)
	if err != nil {
		return nil, err
	}
	lay, err := l.layer(name, file, data)
	if err != nil {
		return nil, err
	}
	lay.Project = l.Project != "" && Within(RealPath(l.Project), RealPath(file))
	return lay, nil
}

// local reads the project's override of name, in its own file or in the one of
// earlier versions; nil when there is none.
func (l Loader) local(name string) (*Layer, error) {
	if l.Project == "" {
		return nil, nil
	}
	own, err := l.localFile(name)
	if own != nil || err != nil || name == legacyLocal {
		return own, err
	}
	old, err := l.localFile(legacyLocal)
	if err != nil || old == nil || old.Extends != name {
		return nil, err
	}
	return old, nil
}

func (l Loader) localFile(name string) (*Layer, error) {
	data, err := fsread.Below(l.Project, filepath.FromSlash(LocalDir)+string(filepath.Separator)+name+".yaml", schema.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	lay, err := l.layer("local", l.LocalPath(name), data)
	if err != nil {
		return nil, err
	}
	lay.Project = true
	return lay, nil
}

func (l Loader) layer(name, file string, data []byte) (*Layer, error) {
	root, _, err := l.parse(file, data)
	if err != nil {
		return nil, err
	}
	lay := &Layer{Name: name, File: file, Root: root}
	if n := lay.get("extends"); n != nil {
		lay.Extends = n.Value
		if err := CheckName("profile", n.Value); err != nil {
			return nil, &schema.Error{Pos: schema.At(file, n), Path: "extends", Msg: err.Error()}
		}
	}
	return lay, nil
}

// Override tells that the layer is the project's override, which NoLocal
// leaves out.
func (lay *Layer) Override() bool { return lay.Project && lay.Name == "local" }

// get returns a top-level value of the layer.
func (lay *Layer) get(key string) *yaml.Node { return child(lay.Root, key) }

// child returns the value of a map's key, nil when it is not there.
func child(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// chain returns the layers of a global profile, the farthest ancestor first.
func (l Loader) chain(name string) ([]Layer, error) {
	var layers []Layer
	var names []string
	for next := name; ; {
		names = append(names, next)
		if slices.Contains(names[:len(names)-1], next) {
			by := layers[0]
			return nil, &schema.Error{Pos: schema.At(by.File, by.get("extends")), Path: "extends", Msg: "a profile cannot extend itself: " + strings.Join(names, " -> ")}
		}
		lay, err := l.global(next)
		if errors.Is(err, fs.ErrNotExist) && len(layers) > 0 {
			by := layers[0]
			n := by.get("extends")
			return nil, &schema.Error{Pos: schema.At(by.File, n), Path: "extends", Msg: fmt.Sprintf("no global profile %q", next), Fix: l.unknown(next).Hint()}
		} else if err != nil {
			return nil, err
		}
		layers = slices.Insert(layers, 0, *lay)
		if lay.Extends == "" {
			break
		}
		next = lay.Extends
	}
	layers[len(layers)-1].Name = "global"
	return layers, nil
}

// layers returns the layers of an agent in the order in which they apply.
func (l Loader) layers(name string, noLocal bool) ([]Layer, error) {
	if err := CheckName("agent", name); err != nil {
		return nil, err
	}
	var local *Layer
	if !noLocal {
		var err error
		if local, err = l.local(name); err != nil {
			return nil, err
		}
	}
	base := name
	if local != nil && local.Extends != "" {
		base = local.Extends
	}
	layers, err := l.chain(base)
	switch {
	case errors.Is(err, fs.ErrNotExist) && local == nil:
		return nil, l.unknown(name)
	case errors.Is(err, fs.ErrNotExist) && local.Extends != "":
		n := local.get("extends")
		return nil, &schema.Error{Pos: schema.At(local.File, n), Path: "extends", Msg: fmt.Sprintf("no global profile %q", base), Fix: l.unknown(base).Hint()}
	case errors.Is(err, fs.ErrNotExist):
		layers = nil
	case err != nil:
		return nil, err
	}
	if local != nil {
		layers = append(layers, *local)
	}
	return layers, nil
}

func (l Loader) unknown(name string) *UnknownAgentError {
	known := l.names()
	return &UnknownAgentError{Name: name, Known: known, Near: near(name, known), Dir: filepath.Join(l.HereticHome, "agents")}
}

// names returns the names of all profiles, without reading them.
func (l Loader) names() []string {
	names := yamlNames(os.DirFS(l.HereticHome), "agents")
	for _, n := range l.localNames() {
		if !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return names
}

func (l Loader) localNames() []string {
	if l.Project == "" {
		return nil
	}
	root, err := os.OpenRoot(l.Project)
	if err != nil {
		return nil
	}
	defer root.Close()
	names := yamlNames(root.FS(), LocalDir)
	return slices.DeleteFunc(names, func(n string) bool { return n == legacyLocal || n == "compose" })
}

// yamlNames lists the profile names in a folder; none when it cannot be read.
func yamlNames(fsys fs.FS, dir string) []string {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".yaml")
		if ok && CheckName("agent", name) == nil && !e.IsDir() {
			names = append(names, name)
		}
	}
	return names
}
