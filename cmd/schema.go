package cmd

import (
	"github.com/spf13/cobra"

	"heretic/profile/schema"
)

func newSchema(a *App) *cobra.Command {
	var reference bool
	cmd := &cobra.Command{
		Use: "schema [--reference]",
		Long: `Print the JSON Schema of profiles, for editors and for programs that write
profiles; with --reference, the same as a page to read.`,
		Args:                  takes(nil),
		DisableFlagsInUseLine: true,
		RunE: func(*cobra.Command, []string) error {
			if reference {
				return a.IO.Print(schema.Reference())
			}
			data, err := schema.JSONSchema()
			if err != nil {
				return err
			}
			return a.IO.Print(data)
		},
	}
	cmd.Flags().BoolVar(&reference, "reference", false, "print the reference of all keys, in Markdown")
	return cmd
}
