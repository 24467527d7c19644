package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"heretic/mcpconf"
	"heretic/runner"
	"heretic/session/gitguard"
	"heretic/session/internal/store"
)

// guardFile holds what the project's repository could make git on the host
// run, as it was when the first of the live sessions began.
const guardFile = ".git-guard.json"

// guardInterval is how often an attached heretic looks.
const guardInterval = time.Second

// checkGit compares the repository with the saved state, and saves what it
// sees instead, so that each change is reported once; nothing is saved while
// no container could change it. Call it under the project's lock.
func checkGit(st *store.Store, project string, containers []runner.Container) ([]gitguard.Finding, error) {
	before, err := readGuard(st)
	if before == nil || err != nil {
		return nil, err
	}
	now, err := gitguard.Take(project)
	if err != nil {
		return nil, err
	}
	found := before.Changes(now)
	for _, c := range containers {
		if c.Live() && c.State != "created" {
			return found, writeGuard(st, now)
		}
	}
	return found, st.Remove(guardFile)
}

// readGuard returns nil where no state is saved.
func readGuard(st *store.Store) (gitguard.Snapshot, error) {
	data, err := st.Read(guardFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	s := gitguard.Snapshot{}
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", st.Path(guardFile), err)
	}
	return s, nil
}

func writeGuard(st *store.Store, s gitguard.Snapshot) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return st.Write(guardFile, append(data, '\n'), 0o600)
}

// saveGit saves the state of the repository before the agent can change it.
func (l *launch) saveGit() (err error) {
	if l.guard, err = gitguard.Take(l.p.Project); err != nil {
		return err
	}
	return writeGuard(l.st, l.guard)
}

// makeHooks makes the hooks folder that a linked worktree's repository has not,
// so that it can be covered.
func (l *launch) makeHooks() error {
	if l.p.emptyHooks == "" {
		return nil
	}
	dir, name := filepath.Split(l.p.emptyHooks)
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make %s: %w", l.p.emptyHooks, err)
	}
	if fi, err := root.Stat("."); err == nil && os.Geteuid() == 0 {
		uid, gid := store.Owner(fi)
		return root.Lchown(name, uid, gid)
	}
	return nil
}

// watchGit reports changes while heretic is attached. The function that it
// returns ends that.
func (l *launch) watchGit(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.guard = gitguard.Watch(ctx, l.p.Project, l.guard, guardInterval, l.reportGit)
	}()
	return func() {
		cancel()
		<-ended
	}
}

func (l *launch) reportGit(f gitguard.Finding) {
	l.o.Warn(mcpconf.Note{Text: f.String()})
}

// leaveGit reports what the watch has not seen any more and saves the state
// for the commands to come. Call it under the project's lock.
func (l *launch) leaveGit(containers []runner.Container) error {
	if l.started {
		// What was reported while attached is not reported again.
		if err := writeGuard(l.st, l.guard); err != nil {
			return err
		}
	}
	found, err := checkGit(l.st, l.p.Project, containers)
	for _, f := range found {
		l.reportGit(f)
	}
	return err
}
