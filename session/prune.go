package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"heretic/runner"
	"heretic/session/home"
	"heretic/session/internal/store"
)

// PruneOptions say what [Prune] removes besides dead containers.
type PruneOptions struct {
	Session string // only this one; empty: all of the project
	// Directories also removes the directories of sessions that are not
	// live: with them go login, settings and history of the agent.
	Directories bool
	DryRun      bool // only find out
}

// Pruned is what [Prune] removed, or would remove.
type Pruned struct {
	Containers   []string `json:"containers"`   // names
	Directories  []string `json:"directories"`  // names of sessions
	Placeholders []string `json:"placeholders"` // below the project
}

// Prune removes the containers of a project that have ended, and what they
// left. Live sessions are not touched.
func Prune(ctx context.Context, eng Engine, project string, o PruneOptions) (Pruned, error) {
	done := Pruned{Containers: []string{}, Directories: []string{}, Placeholders: []string{}}
	st, err := store.OpenExisting(project)
	if err != nil {
		return done, err
	}
	if st != nil { // else the project is gone, or was cleaned by hand
		defer st.Close()
		lock, err := st.LockProject(ctx)
		if err != nil {
			return done, err
		}
		defer lock.Unlock()
	}
	containers, err := eng.List(ctx, projectLabels(project), true)
	if err != nil {
		return done, err
	}
	var starting map[string]bool
	if st != nil {
		if starting, err = st.Starting(); err != nil {
			return done, err
		}
	}
	errs := []error{pruneContainers(ctx, eng, containers, starting, o, &done)}
	if st != nil && o.Directories {
		errs = append(errs, pruneDirectories(ctx, eng, st, project, containers, starting, o, &done))
	}
	if !o.DryRun {
		_, err := eng.RemoveVolumes(ctx, projectLabels(project))
		errs = append(errs, err)
	}
	if st != nil {
		errs = append(errs, prunePlaceholders(st, containers, o, &done))
	}
	return done, errors.Join(errs...)
}

func pruneContainers(ctx context.Context, eng Engine, list []runner.Container, starting map[string]bool, o PruneOptions, done *Pruned) error {
	var errs []error
	for _, c := range list {
		name := c.Labels[LabelSession]
		if busy(c) || freshHelper(c) || starting[name] || o.Session != "" && o.Session != name {
			continue
		}
		if !o.DryRun {
			if err := ignoreNotFound(eng.Remove(ctx, c.ID)); err != nil {
				errs = append(errs, fmt.Errorf("remove container %s: %w", c.Name, err))
				continue
			}
		}
		done.Containers = append(done.Containers, c.Name)
	}
	return errors.Join(errs...)
}

func pruneDirectories(ctx context.Context, eng Engine, st *store.Store, project string, list []runner.Container, starting map[string]bool, o PruneOptions, done *Pruned) error {
	names, err := st.Sessions()
	if err != nil {
		return err
	}
	for _, name := range names {
		live := slices.ContainsFunc(list, func(c runner.Container) bool { return c.Labels[LabelSession] == name && busy(c) })
		if live || starting[name] || o.Session != "" && o.Session != name {
			continue
		}
		if !o.DryRun {
			if err := removeSession(ctx, eng, st, project, name); err != nil {
				return err
			}
		}
		done.Directories = append(done.Directories, name)
	}
	return nil
}

func prunePlaceholders(st *store.Store, containers []runner.Container, o PruneOptions, done *Pruned) error {
	handle := st.DropPlaceholders
	if o.DryRun {
		handle = st.IdlePlaceholders
	}
	paths, err := idlePlaceholders(st, containers, handle)
	done.Placeholders = append(done.Placeholders, paths...)
	return err
}

// busy tells whether a container has processes. One that was only created and
// is not being started has none.
func busy(c runner.Container) bool { return c.Live() && c.State != "created" }

// removeSession removes a session's directory. Where the agent's files belong
// to somebody else, the engine takes them away first.
func removeSession(ctx context.Context, eng Engine, st *store.Store, project, name string) error {
	rec, recErr := readRecord(st, name) // before the record goes
	err := st.RemoveSession(name)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	dir := st.Path(name)
	if recErr == nil && rec.Image != "" {
		recErr = home.Clear(ctx, eng, Helper(project, rec.Image, ""), dir, homeDir)
		if recErr == nil {
			return st.RemoveSession(name)
		}
	}
	return withHint("sudo rm -r "+dir, "%w", errors.Join(err, recErr))
}
