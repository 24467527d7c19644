package cmd

import (
	"fmt"
	"os"

	"heretic/profile"
	"heretic/session"
)

// Project finds the project that a command works for, and names it when it is
// not the working directory. With existing, a directory that only has sessions
// counts too.
func (a *App) Project(existing bool) (session.Project, error) {
	p, err := a.findProject(existing)
	if err == nil && p.Named {
		a.IO.Note("project: " + p.Dir)
	}
	return p, err
}

func (a *App) findProject(existing bool) (session.Project, error) {
	cwd, err := a.Cwd()
	if err != nil {
		return session.Project{}, fmt.Errorf("working directory: %w", err)
	}
	home, err := a.Home()
	if err != nil {
		return session.Project{}, err
	}
	heretic, err := a.HereticHome()
	if err != nil {
		return session.Project{}, err
	}
	return session.FindProject(session.ProjectOptions{
		Dir: a.projectFlag, Cwd: cwd, Home: home, HereticHome: heretic, Existing: existing,
	})
}

// projectIfAny is the project for commands that work without one, as on
// profiles from the home directory. A project that was named must be one.
func (a *App) projectIfAny() (string, error) {
	p, err := a.findProject(false)
	if err != nil && a.projectFlag != "" {
		return "", err
	}
	if err != nil {
		if _, statErr := os.Stat("."); statErr != nil {
			return "", statErr
		}
		return "", nil
	}
	return p.Dir, nil
}

// projectLoader is the project and the loader of its profiles.
func (a *App) projectLoader() (session.Project, profile.Loader, error) {
	project, err := a.Project(false)
	if err != nil {
		return project, profile.Loader{}, err
	}
	loader, err := a.Loader(project.Dir)
	return project, loader, err
}
