package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// failureCode is the annotation of commands whose exit code is the agent's:
// the code of heretic's own failures.
const failureCode = "heretic-failure-code"

// The groups of commands in help.
const (
	groupRun     = "run"
	groupProfile = "profile"
	groupMCP     = "mcp"
	groupOther   = "other"
)

// newRoot makes the command line with the commands that whole picks; see tree.
func newRoot(a *App, whole func(command) bool) *cobra.Command {
	root := &cobra.Command{
		Use:   "heretic <agent> | <command>",
		Short: "Run AI coding agents in containers, with your MCP servers in place",
		Long: `heretic runs AI coding agents (Claude Code, Copilot CLI, Codex, Gemini CLI,
opencode, aider, any command) in containers, on your project, with your MCP
servers already in place.`,
		Example: `  heretic init                          make a first profile
  heretic claude                        run the agent on this project
  heretic agents mcp claude             paste MCP servers from another tool
  heretic ps                            what runs here`,
		Args:                       cobra.NoArgs,
		SilenceErrors:              true,
		SilenceUsage:               true,
		DisableFlagsInUseLine:      true,
		SuggestionsMinimumDistance: 2,
		CompletionOptions:          cobra.CompletionOptions{DisableDefaultCmd: true},
		ValidArgsFunction:          a.completeAgents,
		RunE:                       func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE:          a.begin,
	}
	root.AddGroup(
		&cobra.Group{ID: groupRun, Title: "Agents and their sessions:"},
		&cobra.Group{ID: groupProfile, Title: "Profiles:"},
		&cobra.Group{ID: groupMCP, Title: "MCP servers and images:"},
		&cobra.Group{ID: groupOther, Title: "Other:"},
	)
	flags := root.PersistentFlags()
	flags.StringVarP(&a.projectFlag, "project", "C", "", "the project `directory` (default: the nearest with .heretic/cli, else the working directory)")
	flags.BoolVar(&a.logging.verbose, "verbose", false, "say what heretic does, on standard error")
	flags.StringVar(&a.logging.path, "log-file", "", "append what heretic does to this `file`")
	_ = root.MarkPersistentFlagDirname("project")
	root.SetIn(a.IO.In)
	a.helpOut = keptError{to: a.IO.Out}
	root.SetOut(&a.helpOut)
	root.SetErr(a.IO.Err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &usageError{err, cmd.CommandPath()}
	})
	root.AddCommand(a.tree(whole)...)
	root.SetHelpCommand(newHelp(root))
	return root
}

// execute runs the command that args ask for and returns the exit code.
func (a *App) execute(ctx context.Context, args []string) int {
	root := newRoot(a, needed(args))
	started := false
	markStarted(root, &started)
	root.SetArgs(expandShortForm(args))
	cmd, err := root.ExecuteContextC(ctx)
	if _, ok := errors.AsType[*usageError](err); err != nil && !started && !ok {
		err = &usageError{err, cmd.CommandPath()}
	}
	if a.helpOut.err != nil {
		err = a.helpOut.err
	}
	return a.report(cmd.Context(), err, failureOf(cmd))
}

// keptError writes for cobra, which does not look at the errors of its help.
type keptError struct {
	to  io.Writer
	err error // the first one
}

func (k *keptError) Write(p []byte) (int, error) {
	n, err := k.to.Write(p)
	if k.err == nil {
		k.err = err
	}
	return n, err
}

// begin gets ready for the work of a command: not for help, which has none.
func (a *App) begin(cmd *cobra.Command, _ []string) error {
	ctx, stop := cancelOnSignal(cmd.Context(), a.editing.Load)
	cmd.SetContext(ctx)
	a.closers = append(a.closers, stop)
	return a.startLog()
}

// markStarted sets started when a command's own work begins: what fails
// before is wrong usage.
func markStarted(cmd *cobra.Command, started *bool) {
	if pre := cmd.PersistentPreRunE; pre != nil {
		cmd.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
			if err := pre(cmd, args); err != nil {
				*started = true
				return err
			}
			return nil
		}
	}
	if run := cmd.RunE; run != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			*started = true
			return run(cmd, args)
		}
	}
	for _, sub := range cmd.Commands() {
		markStarted(sub, started)
	}
}

func failureOf(cmd *cobra.Command) int {
	if code, err := strconv.Atoi(cmd.Annotations[failureCode]); err == nil {
		return code
	}
	return exitFailure
}

// agentExit marks a command whose exit code is the agent's.
func agentExit() map[string]string {
	return map[string]string{failureCode: strconv.Itoa(exitEngine)}
}

// expandShortForm turns "heretic claude ..." into "heretic run claude ...",
// unless a command has that name.
func expandShortForm(args []string) []string {
	if isCompletion(args) {
		words := args[1:]
		if i := firstWord(words); i >= 0 && i < len(words)-1 && !isCommand(words[i]) {
			return slices.Insert(slices.Clone(args), 1+i, "run")
		}
		return args
	}
	if i := firstWord(args); i >= 0 && !isCommand(args[i]) {
		return slices.Insert(slices.Clone(args), i, "run")
	}
	return args
}

// firstWord is the index of the first argument that is neither one of the
// root's flags nor the value of one, or -1.
func firstWord(args []string) int {
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "-C" || arg == "--project" || arg == "--log-file":
			i++
		case arg == "--verbose" || strings.HasPrefix(arg, "--project=") || strings.HasPrefix(arg, "--log-file=") ||
			(strings.HasPrefix(arg, "-C") && len(arg) > 2):
		case strings.HasPrefix(arg, "-") || arg == "":
			return -1
		default:
			return i
		}
	}
	return -1
}

// group is a command that only holds others.
func group(use, long string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:                   use + " <command>",
		Long:                  long,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			err := fmt.Errorf("unknown command %q for %q", args[0], cmd.CommandPath())
			if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
				err = withHint(err, "did you mean '"+cmd.CommandPath()+" "+near[0]+"'?")
			}
			return &usageError{err, cmd.CommandPath()}
		},
	}
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(commands...)
	return cmd
}
