package cmd

import (
	"os"

	"github.com/spf13/cobra"

	"heretic/cmd/internal/ui"
)

// Command is the tree of all commands, for programs that describe it.
func Command() *cobra.Command {
	root := newRoot(newApp(ui.NewStreams(os.Stdin, os.Stdout, os.Stderr, os.LookupEnv)), everything)
	root.DisableAutoGenTag = true // the same pages from the same source
	return root
}
