package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"heretic/runner"
	"heretic/session"
)

type logsOptions struct {
	sessionFlags
	args       []string
	follow     bool
	tail       string
	since      string
	timestamps bool
}

func newLogs(a *App) *cobra.Command {
	var o logsOptions
	cmd := &cobra.Command{
		Use:                   "logs [<session>] [flags]",
		Args:                  takes(nil, "session"),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.args = args
			return runLogs(cmd.Context(), a, o)
		},
	}
	o.add(a, cmd)
	cmd.Flags().BoolVarP(&o.follow, "follow", "f", false, "go on until the agent ends")
	cmd.Flags().Var((*tailFlag)(&o.tail), "tail", "only the last `number` of lines")
	cmd.Flags().Var((*sinceFlag)(&o.since), "since", "only what is newer than a `time`, or than a duration (10m)")
	cmd.Flags().BoolVar(&o.timestamps, "timestamps", false, "print when each line was written")
	return cmd
}

func runLogs(ctx context.Context, a *App, o logsOptions) error {
	engine, list, err := a.sessions(ctx, o.all)
	if err != nil {
		return err
	}
	s, err := o.pickEnded(list, o.args)
	if err != nil {
		return err
	}
	return engine.Logs(ctx, s.Container.ID, runner.LogsOptions{
		Follow: o.follow, Tail: o.tail, Since: o.since, Timestamps: o.timestamps,
		Out: a.IO.Out, Err: a.IO.Err,
	})
}

// pickEnded is pick for commands that also work on a session that has ended:
// without a name, the only session is meant even if it does not run.
func (f sessionFlags) pickEnded(list []session.Session, args []string) (session.Session, error) {
	if len(args) == 0 && f.session == "" && len(list) == 1 {
		return list[0], nil
	}
	return f.pick(list, args)
}
