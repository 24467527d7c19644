package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"heretic/profile"
	"heretic/runner"
	"heretic/session"
)

type pruneOptions struct {
	all  bool
	json bool
	session.PruneOptions
}

// prunedEntry is what was removed in one project, in the output of --json.
type prunedEntry struct {
	Project string `json:"project"`
	DryRun  bool   `json:"dry_run,omitempty"`
	session.Pruned
}

func newPrune(a *App) *cobra.Command {
	var o pruneOptions
	cmd := &cobra.Command{
		Use: "prune [--all] [--sessions] [flags]",
		Long: `Remove the containers of sessions that have ended, and empty files that a killed
heretic left in the work tree. Running agents are not touched.

With --sessions, the directories of the sessions that do not run are removed as
well: the agents then begin anew, without login, settings and history.

With --all, this is done in every project that has a container, and in those that
you approved a profile of. heretic keeps no list of the others: prune there.`,
		Args:                  takes(nil),
		DisableFlagsInUseLine: true,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return runPrune(cmd.Context(), a, o) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.all, "all", false, "in every project that has a container, or an approved profile")
	flags.BoolVar(&o.Directories, "sessions", false, "remove the directories of sessions, too")
	flags.StringVarP(&o.Session, "session", "s", "", "only the session of this `name`")
	flags.BoolVar(&o.DryRun, "dry-run", false, "print what would be removed, and remove nothing")
	flags.BoolVar(&o.json, "json", false, "print a JSON array, one element for each project")
	completeSessions(a, cmd)
	return cmd
}

func runPrune(ctx context.Context, a *App, o pruneOptions) error {
	if o.Session != "" {
		if err := profile.CheckName("session", o.Session); err != nil {
			return &usageError{err, ""}
		}
	}
	engine, projects, err := a.pruneProjects(ctx, o)
	if err != nil {
		return err
	}
	results := []prunedEntry{}
	var errs []error
	for _, project := range projects {
		done, err := session.Prune(ctx, engine, project, o.PruneOptions)
		if o.all && errors.Is(err, fs.ErrNotExist) && gone(project) {
			continue // somebody removed it at this moment
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", project, err))
		}
		results = append(results, prunedEntry{Project: project, DryRun: o.DryRun, Pruned: done})
	}
	if o.json {
		return errors.Join(append(errs, a.IO.JSON(results))...)
	}
	return errors.Join(append(errs, a.printPruned(results))...)
}

// gone tells whether a project is not there any more.
func gone(project string) bool {
	_, err := os.Stat(project)
	return errors.Is(err, fs.ErrNotExist)
}

// pruneProjects are the projects that are meant, sorted.
func (a *App) pruneProjects(ctx context.Context, o pruneOptions) (*runner.Engine, []string, error) {
	engine, err := a.Engine(ctx)
	if err != nil {
		return nil, nil, err
	}
	if !o.all {
		project, err := a.Project(true)
		return engine, []string{project.Dir}, err
	}
	list, err := session.List(ctx, engine, "")
	if err != nil {
		return nil, nil, err
	}
	var projects []string
	if here, err := a.findProject(true); err == nil {
		projects = append(projects, here.Dir)
	}
	for _, s := range list {
		if filepath.IsAbs(s.Project) {
			projects = append(projects, s.Project)
		}
	}
	store, err := a.trustStore()
	if err != nil {
		return nil, nil, err
	}
	approved, err := store.List()
	if err != nil {
		return nil, nil, err
	}
	for _, r := range approved {
		projects = append(projects, r.Project)
	}
	slices.Sort(projects)
	return engine, slices.Compact(projects), nil
}

func (a *App) printPruned(results []prunedEntry) error {
	var rows [][]string
	for _, r := range results {
		for _, group := range []struct {
			what  string
			names []string
		}{{"container", r.Containers}, {"session directory", r.Directories}, {"placeholder", r.Placeholders}} {
			for _, name := range group.names {
				rows = append(rows, []string{group.what, name, r.Project})
			}
		}
	}
	if len(rows) == 0 {
		a.IO.Say("Nothing to remove.")
		return nil
	}
	if err := a.IO.Table([]string{"REMOVED", "NAME", "PROJECT"}, rows); err != nil {
		return err
	}
	if results[0].DryRun {
		a.IO.Note("nothing was removed: --dry-run")
	}
	return nil
}
