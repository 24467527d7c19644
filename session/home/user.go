// Package home makes and keeps agent homes: the directories, one set for each
// session, where an agent has its settings, login and history. They belong to
// the container's user, whoever that is, and what heretic changes in them are
// single keys of files that the agent owns.
package home

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"heretic/runner"
)

// Engine is what agent homes need of a container engine.
type Engine interface {
	Create(ctx context.Context, s runner.Spec) (id string, err error)
	Remove(ctx context.Context, id string) error
	CopyTo(ctx context.Context, id, path string, tar io.Reader) error
	CopyFrom(ctx context.Context, id, path string) (io.ReadCloser, error)
}

// User is the user that a container's processes run as.
type User struct {
	Known bool   `json:"-"`
	UID   int    `json:"uid"`
	GID   int    `json:"gid"`
	Home  string `json:"home"`
}

// Root tells whether the user of an image or a profile ("", "0", "root:adm")
// is root, and returns it: that takes no look at the image.
func Root(user string) (User, bool) {
	switch name, group, _ := strings.Cut(user, ":"); {
	case name != "" && name != "0" && name != "root":
		return User{}, false
	case group == "" || group == "0" || group == "root":
		return User{Known: true, Home: "/root"}, true
	}
	return User{}, false
}

// Lookup finds a user, as an image or a profile names it, in the image's own
// /etc/passwd and /etc/group. The helper is a container that is never started.
func Lookup(ctx context.Context, eng Engine, helper runner.Spec, user string) (u User, err error) {
	id, err := eng.Create(ctx, helper)
	if err != nil {
		return User{}, err
	}
	defer func() { err = errors.Join(err, eng.Remove(context.WithoutCancel(ctx), id)) }()
	passwd, err := readFile(ctx, eng, id, "/etc/passwd")
	if err != nil {
		return User{}, err
	}
	var group []byte
	if strings.Contains(user, ":") {
		if group, err = readFile(ctx, eng, id, "/etc/group"); err != nil {
			return User{}, err
		}
	}
	return find(user, passwd, group)
}

// find resolves name-or-uid[:group-or-gid] as engines do: a number need not be
// in the files.
func find(user string, passwd, group []byte) (User, error) {
	name, groupName, _ := strings.Cut(user, ":")
	u := User{Known: true, Home: "/"}
	uid, err := strconv.Atoi(name)
	numeric := err == nil
	found := false
	for f := range fields(passwd) {
		if len(f) < 6 || !(f[0] == name || numeric && f[2] == name) {
			continue
		}
		uid, errUID := strconv.Atoi(f[2])
		gid, errGID := strconv.Atoi(f[3])
		if errUID != nil || errGID != nil {
			continue
		}
		u.UID, u.GID, u.Home, found = uid, gid, f[5], true
		break
	}
	switch {
	case !found && !numeric:
		return User{}, fmt.Errorf("the image has no user %q in /etc/passwd", name)
	case !found:
		u.UID = uid
	}
	if u.Home == "" {
		u.Home = "/"
	}
	if groupName == "" {
		return u, nil
	}
	if gid, err := strconv.Atoi(groupName); err == nil {
		u.GID = gid
		return u, nil
	}
	for f := range fields(group) {
		if len(f) < 3 || f[0] != groupName {
			continue
		}
		if gid, err := strconv.Atoi(f[2]); err == nil {
			u.GID = gid
			return u, nil
		}
	}
	return User{}, fmt.Errorf("the image has no group %q in /etc/group", groupName)
}

// fields splits the lines of a passwd-like file.
func fields(data []byte) func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		for line := range bytes.Lines(data) {
			if !yield(strings.Split(strings.TrimRight(string(line), "\r\n"), ":")) {
				return
			}
		}
	}
}

// maxFile bounds a file that is read out of a container.
const maxFile = 16 << 20

// readFile returns a file of a container; nil when there is none.
func readFile(ctx context.Context, eng Engine, id, name string) ([]byte, error) {
	rc, err := eng.CopyFrom(ctx, id, name)
	if errors.Is(err, runner.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer rc.Close()
	tr := tar.NewReader(rc)
	h, err := tr.Next()
	if err != nil {
		return nil, fmt.Errorf("read %s in the container: %w", name, err)
	}
	if h.Typeflag != tar.TypeReg {
		return nil, fmt.Errorf("%s in the container is not a regular file", name)
	}
	if h.Size > maxFile {
		return nil, fmt.Errorf("%s in the container is larger than 16 MiB", name)
	}
	data, err := io.ReadAll(tr)
	if err != nil {
		return nil, fmt.Errorf("read %s in the container: %w", name, err)
	}
	return data, nil
}
