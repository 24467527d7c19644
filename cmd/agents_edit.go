package cmd

import (
	"bytes"
	"context"

	"github.com/spf13/cobra"

	"heretic/mcpconf"
)

func newAgentsEdit(a *App) *cobra.Command {
	var local bool
	cmd := &cobra.Command{
		Use:   "edit <agent> [--local]",
		Short: "Change a profile in your editor",
		Long: `Open a profile in $VISUAL or $EDITOR and check it when the editor closes. What is
wrong is shown as a comment at its line, in the editor again. The profile itself
changes only when it is right.`,
		Args:                  takes([]string{"agent"}),
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     a.completeAgents,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runAgentsEdit(cmd.Context(), a, args[0], local)
		},
	}
	cmd.Flags().BoolVar(&local, "local", false, "change this project's override")
	return cmd
}

func runAgentsEdit(ctx context.Context, a *App, agent string, local bool) error {
	loader, file, err := a.importTarget(importOptions{agent: agent, local: local})
	if err != nil {
		return err
	}
	var notes []mcpconf.Note
	data, err := a.edit(ctx, edition{
		suffix:  ".yaml",
		comment: "#",
		text:    file.data,
		check: func(text []byte) (err error) {
			notes, err = loader.Validate(file.path, text, local)
			return err
		},
	})
	if err != nil {
		return err
	}
	if bytes.Equal(data, file.data) && file.exists {
		a.IO.Say("%s is as it was.", file.path)
		return nil
	}
	if err := a.writeProfile(loader, agent, file, data); err != nil {
		return err
	}
	a.printNotes(notes)
	a.IO.Say("Wrote %s.", file.path)
	return nil
}
