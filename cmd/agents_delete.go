package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"heretic/cmd/internal/files"
	"heretic/cmd/internal/ui"
)

type deleteOptions struct {
	agents     []string
	local, yes bool
}

func newAgentsDelete(a *App) *cobra.Command {
	var o deleteOptions
	cmd := &cobra.Command{
		Use:   "delete <agent>... [--local] [--yes]",
		Short: "Delete profiles",
		Long: `Delete global profiles, or with --local this project's overrides. What goes is
shown, and asked for on a terminal. Sessions of the agents are not touched.`,
		Aliases: []string{"rm"},
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &usageError{errors.New("missing argument <agent>"), cmd.CommandPath()}
			}
			return nil
		},
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     a.completeAgents,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.agents = args
			return runAgentsDelete(cmd.Context(), a, o)
		},
	}
	cmd.Flags().BoolVar(&o.local, "local", false, "delete this project's override only")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	return cmd
}

func runAgentsDelete(ctx context.Context, a *App, o deleteOptions) error {
	var doomed []*profileFile
	for _, agent := range o.agents {
		_, file, err := a.importTarget(importOptions{agent: agent, local: o.local})
		if err != nil {
			return err
		}
		if !file.exists {
			return fmt.Errorf("this project has no override of %q", agent)
		}
		doomed = append(doomed, file)
	}
	if err := a.confirmDelete(ctx, doomed, o.yes); err != nil {
		return err
	}
	var errs []error
	for _, file := range doomed {
		if err := file.remove(); err != nil {
			errs = append(errs, err)
			continue
		}
		a.IO.Say("Deleted %s.", file.path)
	}
	return errors.Join(errs...)
}

func (f *profileFile) remove() error {
	if f.project != "" {
		return files.RemoveBelow(f.project, f.name)
	}
	return os.Remove(f.path)
}

// confirmDelete shows what goes and asks for it.
func (a *App) confirmDelete(ctx context.Context, doomed []*profileFile, yes bool) error {
	var list []string
	for _, file := range doomed {
		list = append(list, fmt.Sprintf("%s (%d lines)", file.path, strings.Count(string(file.data), "\n")))
	}
	if yes {
		return nil
	}
	prompter, err := a.IO.Prompter()
	if errors.Is(err, ui.ErrNoTerminal) {
		return &approvalError{text: "this would delete:\n" + strings.Join(list, "\n"), hint: "say --yes to delete without being asked"}
	}
	if err != nil {
		return err
	}
	defer prompter.Close()
	prompter.Print("This deletes:\n  %s\n", strings.Join(list, "\n  "))
	sure, err := prompter.Confirm(ctx, "Delete?", false)
	if err != nil {
		return err
	}
	if !sure {
		return &approvalError{text: "nothing was deleted"}
	}
	return nil
}
