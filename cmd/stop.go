package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"heretic/runner"
	"heretic/session"
)

type stopOptions struct {
	sessionFlags
	names []string
	keep  bool
	grace time.Duration
}

func newStop(a *App) *cobra.Command {
	var o stopOptions
	cmd := &cobra.Command{
		Use: "stop [<session>...] [flags]",
		Long: `Stop sessions: ask the agent to end, and kill it when it has not after the time
of --time. The container is removed; the files of the session stay. Without a
name the only running session is meant, with --all those of every project.`,
		Args:                  cobra.ArbitraryArgs,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.names = args
			return runStop(cmd.Context(), a, o)
		},
	}
	o.add(a, cmd)
	cmd.Flags().BoolVar(&o.keep, "keep", false, "keep the container")
	cmd.Flags().DurationVarP(&o.grace, "time", "t", 10*time.Second, "how `long` to wait before the agent is killed")
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
	var errs []error
	projects := map[string]bool{}
	for _, s := range chosen {
		if err := stopOne(ctx, engine, s, o); err != nil {
			errs = append(errs, fmt.Errorf("session %q: %w", s.Name, err))
			continue
		}
		a.IO.Say("Stopped %s.", s.Name)
		projects[s.Project] = true
	}
	for project := range projects {
		a.repair(ctx, engine, project)
	}
	return errors.Join(errs...)
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
		chosen = append(chosen, s)
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
