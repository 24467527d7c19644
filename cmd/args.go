package cmd

import (
	"fmt"

	"github.com/spf13/cobra"
)

// takes checks the number of arguments: all of required, and at most as many
// more as there are optional ones.
func takes(required []string, optional ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < len(required) {
			return &usageError{fmt.Errorf("missing argument <%s>", required[len(args)]), cmd.CommandPath()}
		}
		if n := len(required) + len(optional); len(args) > n {
			return &usageError{fmt.Errorf("unexpected argument %q", args[n]), cmd.CommandPath()}
		}
		return nil
	}
}
