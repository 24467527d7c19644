package session

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"

	"heretic/mcpconf"
	"heretic/session/home"
	"heretic/session/internal/store"
)

const homeDir = "home" // in a session directory

// prepareHome makes what is missing of the agent home and sets what the plan
// sets in it, or leaves that to [launch.prepare] where only the engine can.
func (l *launch) prepareHome(ctx context.Context) error {
	h := l.p.Home
	if h == nil {
		return nil
	}
	if err := l.st.Mkdir(path.Join(l.p.Session, homeDir)); err != nil {
		return err
	}
	root, err := l.st.Temp().OpenRoot(path.Join(l.p.Session, homeDir))
	if err != nil {
		return err
	}
	defer root.Close()
	if err := l.fillHome(ctx, root); err != nil {
		return err
	}
	fi, err := root.Stat(h.Dirs[0])
	if err != nil {
		return fmt.Errorf("agent home: %w", err)
	}
	uid, gid := store.Owner(fi)
	l.warnOfOwner(uid)
	if euid := os.Geteuid(); uid >= 0 && euid != 0 && uid != euid {
		l.homeInContainer = true
		return nil
	}
	return l.changeHome(ctx, home.OnHost{Root: root, Path: l.st.Path(l.p.Session, homeDir), UID: uid, GID: gid})
}

// fillHome copies up from the image the directories that were not yet.
func (l *launch) fillHome(ctx context.Context, root *os.Root) error {
	h := l.p.Home
	var dirs []string
	for _, d := range h.Dirs {
		_, err := root.Lstat(d)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !slices.Contains(l.rec.Homes, d) {
			dirs = append(dirs, d)
		} else if err != nil {
			return err
		}
	}
	if len(dirs) == 0 {
		return nil
	}
	spoolName := path.Join(l.p.Session, ".new-"+rand.Text())
	spool, err := l.st.Temp().OpenFile(spoolName, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		spool.Close()
		l.warn(l.st.Remove(spoolName))
	}()
	fill := home.Fill{
		Dirs: dirs, Homes: h.Homes, User: h.User, Seeds: h.Seeds,
		Host: l.st.Path(l.p.Session, homeDir), Spool: spool,
	}
	if err := fill.Make(ctx, l.eng, Helper(l.p.Project, l.p.Spec.Image, l.p.Spec.Platform)); err != nil {
		return err
	}
	l.rec.Homes = slices.Concat(l.rec.Homes, dirs)
	l.rec.Parents = fill.Missing
	return writeRecord(l.st, l.p.Session, l.rec)
}

// changeHome sets what the plan sets in the agent's files. What is about to be
// set for the first time is remembered before, so that a crash in between
// forgets nothing.
func (l *launch) changeHome(ctx context.Context, files home.Files) error {
	h := l.p.Home
	c := home.Changes{Settings: h.Settings, Servers: h.Servers, Before: l.rec.Settings, EarlierServers: l.rec.Servers}
	var names []string
	if h.Servers != nil {
		for _, s := range l.p.Servers {
			if s.Delivered == AsSettings {
				names = append(names, s.Name)
			}
		}
	}
	after := l.rec
	after.Settings, after.Servers = h.Settings, names
	if !after.equal(l.rec) {
		l.rec.Settings = slices.Concat(l.rec.Settings, h.Settings)
		l.rec.Servers = slices.Concat(l.rec.Servers, names)
		if err := writeRecord(l.st, l.p.Session, l.rec); err != nil {
			return err
		}
	}
	if err := c.Apply(ctx, files); err != nil {
		return err
	}
	l.rec = after
	return writeRecord(l.st, l.p.Session, l.rec)
}

// warnOfOwner says that the agent writes its files as somebody else than the
// project's owner. The agent home, made by the engine, tells what the
// container's user is on the host.
func (l *launch) warnOfOwner(uid int) {
	fi, err := os.Stat(l.p.Project)
	if err != nil {
		return
	}
	owner, group := store.Owner(fi)
	if text := ownerWarning(l.p.AgentType, uid, owner, group); text != "" {
		l.o.Warn(mcpconf.Note{Text: text})
	}
}

// ownerWarning is one short line: what is wrong, and what mends it.
func ownerWarning(agentType string, uid, owner, group int) string {
	if uid < 0 || owner < 0 || uid == owner {
		return ""
	}
	mend := fmt.Sprintf("heretic image build %s --uid %d --gid %d", agentType, owner, group)
	if owner == 0 {
		mend = "extra: {user: root} in the profile, or chown the project"
	}
	return fmt.Sprintf("the agent is uid %d, the project's owner uid %d: it may not be able to write; mend with: %s", uid, owner, mend)
}

// prepare is called between creation and start of the container.
func (l *launch) prepare(ctx context.Context, id string) error {
	if err := l.writeSecrets(ctx, id); err != nil {
		return err
	}
	h := l.p.Home
	if h != nil && len(l.rec.Parents) > 0 && h.User.UID > 0 && !l.p.Spec.ReadOnlyRoot {
		if err := home.MakeParents(ctx, l.eng, id, h.Homes[0], l.rec.Parents, h.User); err != nil {
			return fmt.Errorf("agent home: %w", err)
		}
	}
	if !l.homeInContainer {
		return nil
	}
	return l.changeHome(ctx, home.InContainer{Engine: l.eng, ID: id, Home: h.Homes[0], Dirs: h.Dirs, User: h.User})
}
