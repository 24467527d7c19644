package cmd

import (
	"github.com/spf13/cobra"
)

func newCompletion(*App) *cobra.Command {
	return &cobra.Command{
		Use: "completion bash|zsh|fish|powershell",
		Long: `Print a script that makes the shell complete heretic's commands, flags, agents
and sessions.`,
		Example: `  heretic completion bash > /etc/bash_completion.d/heretic
  heretic completion zsh > "${fpath[1]}/_heretic"
  heretic completion fish > ~/.config/fish/completions/heretic.fish
  heretic completion powershell | Out-String | Invoke-Expression`,
		ValidArgs:             []string{"bash", "zsh", "fish", "powershell"},
		Args:                  cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			root, out := cmd.Root(), cmd.OutOrStdout()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				return root.GenFishCompletion(out, true)
			default:
				return root.GenPowerShellCompletionWithDesc(out)
			}
		},
	}
}
