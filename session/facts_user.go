package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"heretic/runner"
	"heretic/session/home"
	"heretic/session/internal/store"
)

// needsUser tells whether the plan depends on who the container's user is.
// Where it does not, no call to the engine is spent on it.
func needsUser(req Request) bool {
	return len(req.Target.HomeDirs) > 0 || len(req.Profile.SecretFiles) > 0
}

// gatherUser finds out who the container's user is. For that the image must be
// there, so it is pulled here, unless nothing may happen.
func gatherUser(ctx context.Context, eng Engine, req Request, f *Facts) error {
	ref := req.Profile.Image
	img, err := eng.Image(ctx, ref)
	missing := errors.Is(err, runner.ErrNotFound)
	switch {
	case err != nil && !missing:
		return err
	case req.DryRun && missing:
		f.ImageMissing = true
		return nil
	case req.DryRun:
	case missing && req.Pull == "never":
		return &hinted{err: err, hint: "build it, or let it be pulled: --pull missing"}
	case missing || req.Pull == "always":
		if err := eng.Pull(ctx, ref, req.Profile.Extra.Platform, req.Progress); err != nil {
			return err
		}
		f.Pulled = true
		if img, err = eng.Image(ctx, ref); err != nil {
			return err
		}
	}
	spec := cmp.Or(req.Profile.Extra.User, img.User)
	user, ok := home.Root(spec)
	if !ok {
		f.UserKey = img.ID + " " + spec
		if user, ok, err = cachedUser(req.Profile.Project, f.UserKey); err != nil {
			return err
		}
	}
	if !ok && !req.DryRun {
		if user, err = home.Lookup(ctx, eng, Helper(req.Profile.Project, ref, req.Profile.Extra.Platform), spec); err != nil {
			return err
		}
	}
	f.ImageUser = user
	f.HasInit = len(img.Entrypoint) > 0 && isInit(img.Entrypoint[0])
	for _, e := range img.Env {
		if dir, ok := strings.CutPrefix(e, "HOME="); ok {
			user.Home = dir
		}
	}
	for _, e := range req.Profile.Env {
		if e.Name == "HOME" {
			user.Home = e.Value
		}
	}
	f.User = user
	return nil
}

// isInit knows the init programs that images bring.
func isInit(program string) bool {
	switch path.Base(program) {
	case "tini", "dumb-init", "docker-init", "catatonit", "s6-svscan", "init":
		return true
	}
	return false
}

// Helper is a container that is created to look into an image or to move
// files, and never started. Whoever creates it removes it; [Repair] and [Prune]
// do so for one that was killed.
func Helper(project, image, platform string) runner.Spec {
	return runner.Spec{
		Image: image, Platform: platform, Network: "none",
		Entrypoint: []string{"/never-started"},
		Labels:     map[string]string{LabelManaged: "true", LabelProject: project, LabelHelper: "true"},
	}
}

// usersFile remembers the users of images by image id, so that only the first
// session of a project has to look.
const usersFile = ".users.json"

func cachedUser(project, key string) (home.User, bool, error) {
	st, err := store.OpenExisting(project)
	if st == nil || err != nil {
		return home.User{}, false, err
	}
	defer st.Close()
	users, err := readUsers(st)
	u, ok := users[key]
	u.Known = ok
	return u, ok, err
}

func readUsers(st *store.Store) (map[string]home.User, error) {
	users := map[string]home.User{}
	data, err := st.Read(usersFile)
	if errors.Is(err, fs.ErrNotExist) {
		return users, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &users)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", st.Path(usersFile), err)
	}
	return users, nil
}

// rememberUser is called under the project's lock.
func rememberUser(st *store.Store, key string, u home.User) error {
	if key == "" || !u.Known {
		return nil
	}
	users, err := readUsers(st)
	if err != nil {
		return err
	}
	if _, ok := users[key]; ok {
		return nil
	}
	users[key] = u
	data, err := json.MarshalIndent(users, "", "  ")
	if err != nil {
		return err
	}
	return st.Write(usersFile, append(data, '\n'), 0o600)
}
