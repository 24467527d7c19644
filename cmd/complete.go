package cmd

import "github.com/spf13/cobra"

// completeAgents completes the name of an agent.
func (a *App) completeAgents(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}
