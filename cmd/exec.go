package cmd

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"heretic/runner"
)

type execOptions struct {
	sessionFlags
	args, command []string
	env           []string
	user, workdir string
	noTTY         bool
}

func newExec(a *App) *cobra.Command {
	var o execOptions
	cmd := &cobra.Command{
		Use: "exec [<session>] [flags] -- <command>...",
		Long: `Run a further command in the container of a running session. heretic ends with
the exit code of the command.`,
		Example: `  heretic exec -- git status            in the only session
  heretic exec feature-x -- sh`,
		Args:                  cobra.ArbitraryArgs,
		Annotations:           agentExit(),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			dash := cmd.ArgsLenAtDash()
			if dash < 0 {
				dash = min(1, len(args))
			}
			o.args, o.command = args[:dash], args[dash:]
			switch {
			case len(o.args) > 1:
				return &usageError{errors.New("more than one session"), cmd.CommandPath()}
			case len(o.command) == 0:
				return &usageError{withHint(errors.New("no command to run"), "heretic exec <session> -- sh"), ""}
			}
			return runExec(cmd.Context(), a, o)
		},
	}
	o.add(a, cmd)
	cmd.Flags().VarP((*envFlag)(&o.env), "env", "e", "set a `variable`: NAME=value, or NAME for the host's value")
	cmd.Flags().StringVarP(&o.user, "user", "u", "", "run as this `user`")
	cmd.Flags().VarP(&keyFlag{"workdir", &o.workdir}, "workdir", "w", "the working `directory` in the container")
	cmd.Flags().BoolVarP(&o.noTTY, "no-tty", "T", false, "allocate no terminal")
	return cmd
}

func runExec(ctx context.Context, a *App, o execOptions) error {
	engine, list, err := a.sessions(ctx, o.all)
	if err != nil {
		return err
	}
	s, err := o.pick(list, o.args)
	if err != nil {
		return err
	}
	code, err := engine.Exec(ctx, s.Container.ID, runner.ExecOptions{
		Cmd: o.command, Env: a.envFlags(o.env), WorkingDir: o.workdir, User: o.user,
		TTY:         a.IO.InTTY && a.IO.OutTTY && !o.noTTY,
		Interactive: true, Streams: a.streams(), DetachKeys: s.DetachKeys,
	})
	if err != nil {
		return &codedError{attachError(err, s), code}
	}
	return &exitError{code}
}
