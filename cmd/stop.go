package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"heretic/cmd/internal/ui"
	"heretic/runner"
	"heretic/session"
)

type stopOptions struct {
	sessionFlags
	names []string
	keep  bool
	yes   bool
	grace time.Duration
}

func newStop(a *App) *cobra.Command {
	var o stopOptions
	cmd := &cobra.Command{
		Use: "stop [<session>...] [flags]",
		Long: `Stop sessions: ask the agent to end, and kill it when it has not after the time
of --time. The container is removed; the files of the session stay. Without a
name the only running session is meant; with --all every running session of
every project, after a question that shows those of other projects.`,
		Args:                  cobra.ArbitraryArgs,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.names = args
			return runStop(cmd.Context(), a, o)
		},
	}
	o.add(a, cmd)
	cmd.Flags().BoolVar(&o.keep, "keep", false, "keep the container")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "stop sessions of other projects without asking")
	o.grace = 10 * time.Second
	cmd.Flags().VarP((*graceFlag)(&o.grace), "time", "t", "how `long` to wait before the agent is killed: seconds, or 2m")
	return cmd
}

func runStop(ctx context.Context, a *App, o stopOptions) error {
	engine, list, err := a.sessions(ctx, o.all)
	if err != nil {
		return err
	}
	chosen, err := o.choose(list)
	if err != nil {
		return err
	}
	if len(chosen) == 0 {
		a.IO.Say("Nothing runs.")
		return nil
	}
	if len(o.names) == 0 && o.session == "" && o.all {
		here := ""
		if p, err := a.Project(true); err == nil { // no project here: all are elsewhere
			here = p.Dir
		}
		if err := a.confirmStop(ctx, elsewhere(chosen, here), o.yes); err != nil {
			return err
		}
	}
	var errs []error
	projects := map[string]bool{}
	for _, s := range chosen {
		if err := stopOne(ctx, engine, s, o); err != nil {
			errs = append(errs, fmt.Errorf("session %q: %w", s.Name, err))
			continue
		}
		if o.all {
			a.IO.Say("Stopped %s in %s.", s.Name, s.Project)
		} else {
			a.IO.Say("Stopped %s.", s.Name)
		}
		projects[s.Project] = true
	}
	for project := range projects {
		a.repair(ctx, engine, project)
	}
	return errors.Join(errs...)
}

// elsewhere are the sessions of other projects than this.
func elsewhere(list []session.Session, project string) []session.Session {
	var others []session.Session
	for _, s := range list {
		if s.Project != project {
			others = append(others, s)
		}
	}
	return others
}

// confirmStop shows the sessions of other projects that would be stopped, and
// asks for it.
func (a *App) confirmStop(ctx context.Context, others []session.Session, yes bool) error {
	if yes || len(others) == 0 {
		return nil
	}
	var lines []string
	for _, s := range others {
		lines = append(lines, fmt.Sprintf("  %s in %s", s.Name, s.Project))
	}
	text := "sessions of other projects:\n" + strings.Join(lines, "\n")
	prompter, err := a.IO.Prompter()
	if errors.Is(err, ui.ErrNoTerminal) {
		return &approvalError{text: "this would stop " + text, hint: "say --yes to stop them without being asked"}
	}
	if err != nil {
		return err
	}
	defer prompter.Close()
	prompter.Print("This stops %s\n", text)
	sure, err := prompter.Confirm(ctx, "Stop them?", false)
	if err != nil {
		return err
	}
	if !sure {
		return &approvalError{text: "nothing was stopped"}
	}
	return nil
}

// choose finds all sessions that are meant before any of them is stopped.
func (o stopOptions) choose(list []session.Session) ([]session.Session, error) {
	names := o.names
	if o.session != "" {
		names = append(names, o.session)
	}
	if len(names) == 0 && o.all {
		var live []session.Session
		for _, s := range list {
			if s.Container.Live() {
				live = append(live, s)
			}
		}
		return live, nil
	}
	if len(names) == 0 {
		names = []string{""}
	}
	var chosen []session.Session
	for _, name := range names {
		s, err := sessionFlags{all: o.all, session: name}.pick(list, nil)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(chosen, func(c session.Session) bool { return c.Container.ID == s.Container.ID }) {
			chosen = append(chosen, s)
		}
	}
	return chosen, nil
}

func stopOne(ctx context.Context, engine *runner.Engine, s session.Session, o stopOptions) error {
	if s.Container.Live() {
		if err := engine.Stop(ctx, s.Container.ID, o.grace); err != nil && !errors.Is(err, runner.ErrNotFound) {
			return err
		}
	}
	if o.keep {
		return nil
	}
	if err := engine.Remove(ctx, s.Container.ID); err != nil && !errors.Is(err, runner.ErrNotFound) {
		return err
	}
	return nil
}
