package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"heretic/cmd/internal/ui"
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
	support    bool
}

func newLogs(a *App) *cobra.Command {
	var o logsOptions
	cmd := &cobra.Command{
		Use: "logs [<session>] [flags]",
		Long: `Print what the agent of a session has written. With --support, print a report for
a bug ticket: versions, engine, the container without the values of its
variables, the generated file without secrets, and the last lines. Read it before
you give it away: what the agent itself wrote may hold more than heretic knows.`,
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
	cmd.Flags().BoolVar(&o.support, "support", false, "print a report for a bug ticket, without secrets")
	cmd.MarkFlagsMutuallyExclusive("support", "follow")
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
	if o.support {
		return a.printSupport(ctx, engine, s)
	}
	return engine.Logs(ctx, s.Container.ID, runner.LogsOptions{
		Follow: o.follow, Tail: o.tail, Since: o.since, Timestamps: o.timestamps,
		Out: a.IO.Out, Err: a.IO.Err,
	})
}

// printSupport prints a report about a session. A log may have what drives a
// terminal; a report has not.
func (a *App) printSupport(ctx context.Context, engine *runner.Engine, s session.Session) error {
	info, err := engine.Info(ctx)
	if err != nil {
		return err
	}
	report, err := session.NewReport(ctx, engine, s)
	if err != nil {
		return err
	}
	var b strings.Builder
	v := buildInfo()
	fmt.Fprintf(&b, "%-12s %s (%s, %s/%s)\n", "heretic", strings.TrimSpace(v.Version+" "+v.Commit), v.Go, v.OS, v.Arch)
	fmt.Fprintf(&b, "%-12s %s %s, API %s, %s, at %s (%s)\n", "engine", info.Name, info.Version, info.API, info.OS, info.Host, info.Why)
	if _, err := report.WriteTo(&b); err != nil {
		return err
	}
	return a.IO.Print([]byte(ui.CleanLines(strings.ReplaceAll(b.String(), "\r\n", "\n"))))
}

// pickEnded is pick for commands that also work on a session that has ended:
// without a name, the only session is meant even if it does not run.
func (f sessionFlags) pickEnded(list []session.Session, args []string) (session.Session, error) {
	if len(args) == 0 && f.session == "" && len(list) == 1 {
		return list[0], nil
	}
	return f.pick(list, args)
}
