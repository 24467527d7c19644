package cmd

import (
	"embed"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
)

//go:embed help/*.txt
var helpTexts embed.FS

// helpTopic is a page of help that belongs to no command.
type helpTopic struct{ name, short string }

func helpTopics() []helpTopic {
	return []helpTopic{
		{"profiles", "Layers, variables and MCP servers of a profile"},
		{"exit-codes", "What heretic's exit codes mean"},
		{"environment", "Environment variables that heretic reads"},
	}
}

func newHelp(root *cobra.Command) *cobra.Command {
	long := "Help about a command or a topic.\n\nTopics:\n"
	var names []string
	for _, t := range helpTopics() {
		long += fmt.Sprintf("  %-13s %s\n", t.name, t.short)
		names = append(names, t.name)
	}
	return &cobra.Command{
		Use:                   "help [<command> | <topic>]",
		Short:                 "Help about a command or a topic",
		Long:                  long,
		GroupID:               groupOther,
		DisableFlagsInUseLine: true,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			found, _, err := root.Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var words []string
			for _, sub := range found.Commands() {
				if sub.IsAvailableCommand() {
					words = append(words, sub.Name())
				}
			}
			if len(args) == 0 {
				words = append(words, names...)
			}
			return words, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && slices.Contains(names, args[0]) {
				text, err := helpTexts.ReadFile("help/" + args[0] + ".txt")
				if err != nil {
					return err
				}
				_, err = cmd.OutOrStdout().Write(text)
				return err
			}
			found, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 || found == nil {
				return &usageError{fmt.Errorf("no command or topic %q", args[len(args)-1]), "heretic"}
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}
