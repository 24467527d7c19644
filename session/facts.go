package session

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/tailscale/hujson"

	"heretic/session/gitguard"
	"heretic/session/home"
	"heretic/session/internal/store"
)

// Facts are what a plan depends on and had to be looked up.
type Facts struct {
	// Own is the project's file that counts as the user's own configuration,
	// Mount what stands where the generated file would be mounted.
	Own, Mount FileFact
	// Activates are the paths of the project that the agent would obey once
	// the workspace is trusted; Broken those that stop it, with the reason.
	Activates []string
	Broken    []FileFact
	// Git is the project's repository, Tracked whether it has the file that is
	// mounted over, Excludes what git in the container would ignore anyway.
	Git      gitguard.Layout
	Tracked  bool
	Excludes []byte
	// HasInit tells that the image starts an init process of its own.
	HasInit bool
	// ProjectUID owns the project on the host; -1 where that means nothing.
	ProjectUID int
	// User is the container's; it is looked up only where the plan needs it.
	User home.User
	// ImageUser is what the image says about it, to be remembered under
	// UserKey; empty for root.
	ImageUser home.User
	UserKey   string
	// Pulled tells that the image was pulled already, ImageMissing that a dry
	// run did not.
	Pulled, ImageMissing bool
}

// FileState is what a file of the project is, as far as a launch cares.
type FileState string

// The states of a file.
const (
	Absent    FileState = ""
	Usable    FileState = "usable"     // has servers
	Empty     FileState = "empty"      // has no byte
	NoServers FileState = "no servers" // is well formed
	Broken    FileState = "broken"
	Symlink   FileState = "symbolic link"
	Directory FileState = "directory"
	Special   FileState = "not a regular file"
)

// FileFact is one file of the project.
type FileFact struct {
	Path   string // below the project, with slashes
	State  FileState
	Reason string // why it is broken
	Ours   bool   // a placeholder that heretic made
	Data   []byte // what it holds, where the plan needs it
}

func (f FileFact) describe() string {
	if f.Reason == "" {
		return string(f.State)
	}
	return string(f.State) + " (" + f.Reason + ")"
}

// Gather looks up the facts that the plan of a request depends on.
func Gather(ctx context.Context, eng Engine, req Request) (Facts, error) {
	root, err := os.OpenRoot(req.Profile.Project)
	if err != nil {
		return Facts{}, err
	}
	defer root.Close()
	ours, err := placeholders(req.Profile.Project)
	if err != nil {
		return Facts{}, err
	}
	f := Facts{ProjectUID: -1}
	if fi, err := root.Stat("."); err == nil {
		f.ProjectUID, _ = store.Owner(fi)
	}
	t := req.Target
	look := func(name string) (FileFact, error) {
		if name == "" {
			return FileFact{}, nil
		}
		ff, err := inspect(root, name)
		ff.Ours = ff.State == Empty && ours[name]
		return ff, err
	}
	if f.Own, err = look(t.OwnFile); err != nil {
		return f, err
	}
	f.Mount = f.Own
	if mount := mountPoint(t); mount != t.OwnFile {
		if f.Mount, err = look(mount); err != nil {
			return f, err
		}
	}
	if err := activated(root, t.Activates, &f); err != nil {
		return f, err
	}
	for _, name := range t.BreaksOn {
		ff, err := inspect(root, name)
		if err != nil {
			return f, err
		}
		if ff.State == Broken {
			// Comments are fine for the agents that have such a file.
			if _, err := hujson.Parse(ff.Data); err == nil {
				continue
			}
		}
		if ff.State == Broken || ff.State == Empty {
			f.Broken = append(f.Broken, ff)
		}
	}
	if f.Git, err = gitguard.Inspect(req.Profile.Project); err != nil {
		return f, err
	}
	if f.Mount.State != Absent && !f.Mount.Ours {
		f.Tracked = f.Git.Tracked(f.Mount.Path)
	}
	if needsUser(req) {
		if err := gatherUser(ctx, eng, req, &f); err != nil {
			return f, err
		}
	}
	f.Excludes = excludes(cmp.Or(f.User.Home, "/root"), req.Profile.Workspace, req.Profile.Volumes)
	return f, nil
}

// activated notes which of the paths exist in the project. A placeholder of
// ours and an empty file activate nothing.
func activated(root *os.Root, paths []string, f *Facts) error {
	for _, name := range paths {
		fi, err := root.Stat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err == nil && fi.Mode().IsRegular() && fi.Size() == 0:
		default:
			// What cannot be looked at may well be obeyed.
			f.Activates = append(f.Activates, name)
		}
	}
	return nil
}

// placeholders returns the paths of the project that are heretic's own.
func placeholders(project string) (map[string]bool, error) {
	st, err := store.OpenExisting(project)
	if st == nil || err != nil {
		return nil, err
	}
	defer st.Close()
	ps, err := st.Placeholders()
	if err != nil {
		return nil, err
	}
	ours := map[string]bool{}
	for _, p := range ps {
		ours[p.Path] = true
	}
	return ours, nil
}

// inspect tells what a file of the project is. A symbolic link anywhere on the
// way to it makes it one.
func inspect(root *os.Root, name string) (FileFact, error) {
	f := FileFact{Path: name}
	parts := strings.Split(name, "/")
	for i := range parts {
		fi, err := root.Lstat(path.Join(parts[:i+1]...))
		last := i == len(parts)-1
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return f, nil
		case err != nil:
			return f, fmt.Errorf("look at the project's %s: %w", name, err)
		case fi.Mode()&fs.ModeSymlink != 0:
			f.State = Symlink
			return f, nil
		case !last && !fi.IsDir():
			return f, nil
		case last && fi.IsDir():
			f.State = Directory
			return f, nil
		case last && !fi.Mode().IsRegular():
			f.State = Special
			return f, nil
		}
	}
	data, err := store.ReadRegular(root, name)
	if err != nil {
		f.State, f.Reason = Broken, err.Error()
		return f, nil
	}
	f.Data = data
	f.State, f.Reason = usable(data)
	return f, nil
}

// usable applies the rule for a project's own file: not empty, strict JSON, a
// mcpServers object with something in it.
func usable(data []byte) (FileState, string) {
	if len(data) == 0 {
		return Empty, ""
	}
	var doc map[string]json.RawMessage // a struct would take MCPSERVERS too, as no agent does
	// A byte-order mark is read by the agents that use such a file.
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), &doc); err != nil {
		return Broken, err.Error()
	}
	var servers map[string]json.RawMessage
	if err := json.Unmarshal(doc["mcpServers"], &servers); err != nil || len(servers) == 0 {
		return NoServers, ""
	}
	return Usable, ""
}
