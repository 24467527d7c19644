package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"heretic/mcpconf/target"
	"heretic/profile"
	"heretic/runner"
	"heretic/session"
)

type runOptions struct {
	launchOptions
	detach, keep bool
	detachKeys   string
	dryRun, json bool
}

// launchOptions are the flags that shape what is launched.
type launchOptions struct {
	agent      string
	session    string
	mcp        string
	noLocal    bool
	trust      bool
	pull       string
	env        []string
	volumes    []string
	image      string
	entrypoint string
	workdir    string
	command    []string
}

func newRun(a *App) *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use: "run <agent> [flags] [-- <command>...]",
		Long: `Run an agent in a container, on this project, with its MCP servers in place.
heretic ends with the agent's own exit code.

Words after -- replace the profile's command; when the first begins with -, they
are appended to it. 'heretic <agent>' is short for 'heretic run <agent>'.`,
		Example: `  heretic run claude
  heretic claude -- --continue
  heretic claude -s feature-x -d        a second session, in the background
  heretic claude --mcp .vscode/mcp.json
  heretic claude --dry-run              what would be mounted and sent`,
		Args:                  agentAndCommand,
		Annotations:           agentExit(),
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     a.completeAgents,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.agent, o.command = args[0], args[1:]
			return runRun(cmd.Context(), a, o)
		},
	}
	flags := cmd.Flags()
	flags.BoolVarP(&o.detach, "detach", "d", false, "start the agent and leave it running")
	flags.StringVarP(&o.session, "session", "s", "", "the `name` of the session (default: the agent's)")
	flags.Var((*wordFlag)(&o.mcp), "mcp", "servers to use instead of the profile's: a `file`, JSON, or - for standard input")
	flags.BoolVar(&o.dryRun, "dry-run", false, "print what would be done, and do nothing")
	flags.BoolVar(&o.json, "json", false, "with --dry-run: print JSON")
	flags.BoolVar(&o.noLocal, "no-local", false, "leave out the project's own profile")
	flags.BoolVar(&o.trust, "trust", false, "approve what the project's profile asks for, for this run")
	flags.StringVar(&o.pull, "pull", "missing", "`when` to pull the image: missing, always or never")
	flags.BoolVar(&o.keep, "keep", false, "keep the container when the agent has ended")
	flags.VarP((*envFlag)(&o.env), "env", "e", "set a `variable`: NAME=value, or NAME for the host's value")
	flags.VarP(&keyListFlag{"volumes", &o.volumes}, "volume", "v", "mount one more `volume`: source:target[:ro]")
	flags.Var(&keyFlag{"image", &o.image}, "image", "the `image`, instead of the profile's")
	flags.StringVar(&o.entrypoint, "entrypoint", "", "the image's entry point, as `words` of a shell")
	flags.VarP(&keyFlag{"workdir", &o.workdir}, "workdir", "w", "the working `directory` in the container")
	flags.Var(&keyFlag{"detach_keys", &o.detachKeys}, "detach-keys", "the `keys` that leave the agent running (default ctrl-],d)")
	completeFlag(cmd, "pull", pullPolicies)
	completeSessions(a, cmd)
	return cmd
}

func pullPolicies() []string { return []string{"missing", "always", "never"} }

// agentAndCommand takes one agent, and anything after --.
func agentAndCommand(cmd *cobra.Command, args []string) error {
	before := len(args)
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		before = dash
	}
	switch {
	case before == 0:
		return &usageError{errors.New("missing argument <agent>"), cmd.CommandPath()}
	case before > 1:
		hint := fmt.Sprintf("words for the agent go after --: heretic run %s -- %s", args[0], strings.Join(args[1:], " "))
		if near := cmd.Root().SuggestionsFor(args[0]); len(near) > 0 {
			hint += "; or did you mean the command 'heretic " + near[0] + "'?"
		}
		return &usageError{withHint(fmt.Errorf("unexpected argument %q", args[1]), hint), ""}
	}
	return nil
}

// check finds what is wrong with the flags before anything is looked at.
func (o *runOptions) check() error {
	if o.session == "" {
		o.session = o.agent
	} else if err := profile.CheckName("session", o.session); err != nil {
		return &usageError{err, ""}
	}
	if err := profile.CheckName("agent", o.agent); err != nil {
		return &usageError{err, ""}
	}
	if !slices.Contains(pullPolicies(), o.pull) {
		return &usageError{fmt.Errorf("--pull %q: want missing, always or never", o.pull), ""}
	}
	if o.json && !o.dryRun {
		return &usageError{errors.New("--json goes with --dry-run"), ""}
	}
	return nil
}

func runRun(ctx context.Context, a *App, o runOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	project, err := a.Project(false)
	if err != nil {
		return err
	}
	resolved, approved, err := a.resolve(ctx, project.Dir, o.launchOptions)
	if err != nil {
		return err
	}
	row, ok := target.Lookup(resolved.Profile.AgentType)
	if !ok {
		return fmt.Errorf("unknown agent type %q", resolved.Profile.AgentType)
	}
	if o.detachKeys == "" {
		settings, err := a.settings()
		if err != nil {
			return err
		}
		o.detachKeys = settings.DetachKeys
	}
	engine, err := a.Engine(ctx)
	if err != nil {
		return err
	}
	if err := a.builtImage(ctx, engine, &resolved.Profile, &o); err != nil {
		return err
	}
	request := session.Request{
		Profile: resolved.Profile, Target: row, Session: o.session,
		Pull: o.pull, Detach: o.detach, Keep: o.keep, DetachKeys: o.detachKeys,
		Terminal: a.IO.InTTY && a.IO.OutTTY,
		Approved: approved.servers, Trusted: approved.folder, Version: buildInfo().Version,
		DryRun: o.dryRun, Progress: a.IO.Err, EngineSocket: engine.Socket(), ProxyEnv: engine.ProxyEnv(),
	}
	facts, err := session.Gather(ctx, engine, request)
	if err != nil {
		return err
	}
	plan, err := session.NewPlan(request, facts)
	if err != nil {
		return err
	}
	if o.dryRun {
		return a.printPlan(plan, resolved.Notes, o.json)
	}
	a.printNotes(resolved.Notes)
	a.printNotes(plan.Notes)
	return placed(a.launch(ctx, engine, plan), resolved)
}

// launch runs the plan and turns its end into heretic's.
func (a *App) launch(ctx context.Context, engine *runner.Engine, plan session.Plan) error {
	w := &warner{io: a.IO, screen: plan.Spec.TTY && !plan.Detach}
	result, err := session.Launch(ctx, engine, plan, session.LaunchOptions{
		Streams:  a.streams(),
		Progress: a.IO.Err,
		Started:  w.started,
		Warn:     w.warn,
	})
	w.ended()
	switch {
	case err != nil:
		return &codedError{err, result.ExitCode}
	case result.Detached && plan.Detach:
		a.IO.Say("%s runs in the background: heretic attach %s, heretic logs -f %s, heretic stop %s",
			plan.Agent, plan.Session, plan.Session, plan.Session)
		return a.IO.Print([]byte(plan.Session + "\n"))
	case result.Detached:
		a.IO.Say("%s runs on; come back with: heretic attach %s", plan.Agent, plan.Session)
		return nil
	}
	return &exitError{result.ExitCode}
}
