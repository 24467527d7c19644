package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"heretic/profile"
	"heretic/runner"
	"heretic/session"
)

// sessionFlags choose a session among those of a project or of all projects.
type sessionFlags struct {
	all     bool
	session string
}

func (f *sessionFlags) add(a *App, cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.all, "all", false, "look in every project")
	cmd.Flags().StringVarP(&f.session, "session", "s", "", "the `name` of the session")
	completeSessions(a, cmd)
	cmd.ValidArgsFunction = a.completeSessionArgs
}

// sessions connects to the engine, mends what a killed heretic left in the
// project, and lists the sessions: of this project, or with all of every one.
func (a *App) sessions(ctx context.Context, all bool) (*runner.Engine, []session.Session, error) {
	project := ""
	if !all {
		p, err := a.Project(true)
		if err != nil {
			return nil, nil, err
		}
		project = p.Dir
	}
	engine, err := a.Engine(ctx)
	if err != nil {
		return nil, nil, err
	}
	if project != "" {
		a.repair(ctx, engine, project)
	}
	list, err := session.List(ctx, engine, project)
	return engine, list, err
}

// repair mends the project and says what it mended. That it cannot is no
// reason for the command to fail.
func (a *App) repair(ctx context.Context, engine *runner.Engine, project string) {
	done, err := session.Repair(ctx, engine, project)
	if _, away := errors.AsType[*runner.UnavailableError](err); away {
		err = nil // the command's own call will say so
	}
	a.reportRepair(project, done, err)
}

func (a *App) reportRepair(project string, done session.Repaired, err error) {
	if err != nil {
		a.IO.Warn(fmt.Sprintf("could not tidy up %s: %v", project, err))
	}
	for _, path := range done.Placeholders {
		a.Log().Info("removed a leftover placeholder", "project", project, "path", path)
	}
	for _, name := range done.Containers {
		a.Log().Info("removed a container that was never started", "project", project, "container", name)
	}
	for _, f := range done.Git {
		a.IO.Warn(f.String())
	}
}

// pick finds the session that the arguments mean: its name, or with -s the
// name of its agent, or nothing where there is only one.
func (f sessionFlags) pick(list []session.Session, args []string) (session.Session, error) {
	name, agent := f.session, ""
	if len(args) > 0 {
		if name == "" {
			name = args[0]
		} else {
			agent = args[0]
		}
	}
	if name != "" {
		if err := profile.CheckName("session", name); err != nil {
			return session.Session{}, &usageError{err, ""}
		}
	}
	if f.all {
		if err := ambiguous(list, name); err != nil {
			return session.Session{}, err
		}
	}
	found, err := session.Find(list, name)
	if err != nil {
		return found, err
	}
	if agent != "" && agent != found.Agent && agent != found.Name {
		return found, fmt.Errorf("session %q belongs to agent %q, not to %q", found.Name, found.Agent, agent)
	}
	return found, nil
}

// ambiguous refuses a name that several projects have a session of.
func ambiguous(list []session.Session, name string) error {
	var projects []string
	for _, s := range list {
		if name != "" && s.Name == name {
			projects = append(projects, s.Project)
		}
	}
	if len(projects) < 2 {
		return nil
	}
	return withHint(fmt.Errorf("several projects have a session %q: %s", name, strings.Join(projects, ", ")),
		"choose the project with -C DIR")
}
