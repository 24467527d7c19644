package cmd

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"heretic/runner"
	"heretic/session"
)

type attachOptions struct {
	sessionFlags
	args       []string
	noStdin    bool
	detachKeys string
}

func newAttach(a *App) *cobra.Command {
	var o attachOptions
	cmd := &cobra.Command{
		Use: "attach [<session>] [flags]",
		Long: `Connect the terminal to a running agent. The detach keys (ctrl-] then d, unless
the session was started with others) leave it running again. When the agent
ends, heretic ends with its exit code.`,
		Args:                  takes(nil, "session"),
		Annotations:           agentExit(),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.args = args
			return runAttach(cmd.Context(), a, o)
		},
	}
	o.add(a, cmd)
	cmd.Flags().BoolVar(&o.noStdin, "no-stdin", false, "only watch")
	cmd.Flags().Var(&keyFlag{"detach_keys", &o.detachKeys}, "detach-keys", "the `keys` that leave the agent running")
	return cmd
}

func runAttach(ctx context.Context, a *App, o attachOptions) error {
	engine, list, err := a.sessions(ctx, o.all)
	if err != nil {
		return err
	}
	s, err := o.pick(list, o.args)
	if err != nil {
		return err
	}
	keys := o.detachKeys
	if keys == "" {
		keys = s.DetachKeys
	}
	switch {
	case a.IO.InTTY && o.noStdin:
		a.IO.Say("Watching %s; ctrl-c leaves it running.", s.Name)
	case a.IO.InTTY:
		a.IO.Say("Attaching to %s; %s leaves it running.", s.Name, spoken(keys))
	}
	result, err := engine.Attach(ctx, s.Container.ID, runner.AttachOptions{
		Streams: a.streams(), NoStdin: o.noStdin, DetachKeys: keys,
	})
	if err != nil {
		return attachError(err, s)
	}
	if result.Detached {
		a.IO.Say("%s runs on; come back with: heretic attach %s", s.Agent, s.Name)
		return nil
	}
	ctx = context.WithoutCancel(ctx) // the agent's end may be the signal's doing
	done, err := session.Ended(ctx, engine, s)
	a.reportRepair(s.Project, done, err)
	return &exitError{result.ExitCode}
}

// spoken is how one says detach keys.
func spoken(keys string) string {
	return strings.ReplaceAll(cmp.Or(keys, runner.DefaultDetachKeys), ",", " then ")
}

// attachError says what to do about a session that one cannot attach to, or
// run a command in.
func attachError(err error, s session.Session) error {
	state, ok := errors.AsType[*runner.StateError](err)
	switch {
	case ok && state.State == "exited":
		return withHint(err, "heretic logs "+s.Name+", or start it again: heretic run "+s.Agent+" -s "+s.Name)
	case ok:
		return withHint(err, "heretic ps")
	}
	return err
}

func (a *App) streams() runner.Streams {
	return runner.Streams{In: a.IO.In, Out: a.IO.Out, Err: a.IO.Err}
}
