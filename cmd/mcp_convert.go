package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"heretic/mcpconf"
	"heretic/mcpconf/target"
)

type mcpConvertOptions struct {
	to, format string
	path       string
	json       bool
}

type mcpConvertResult struct {
	From    string         `json:"from"`
	To      mcpconf.Form   `json:"to"`
	Servers []string       `json:"servers"`
	Notes   []mcpconf.Note `json:"notes"`
	Content string         `json:"content"`
}

func newMCPConvert(a *App) *cobra.Command {
	var o mcpConvertOptions
	cmd := &cobra.Command{
		Use:   "convert --to <form> [--format <format>] <file> | -",
		Short: "Print MCP configuration in another tool's form",
		Long: `Read any client's MCP configuration (JSON with comments, TOML, YAML) and print it
in the form that another tool reads. References to variables are kept, in that
tool's own syntax.`,
		Example: `  heretic mcp convert --to codex .vscode/mcp.json
  pbpaste | heretic mcp convert --to opencode -`,
		Args:                  takes([]string{"file"}),
		DisableFlagsInUseLine: true,
		RunE: func(_ *cobra.Command, args []string) error {
			o.path = args[0]
			return runMCPConvert(a, o)
		},
	}
	cmd.Flags().StringVar(&o.to, "to", "", "the `form` to print: an agent type or one of "+formNames())
	cmd.Flags().StringVar(&o.format, "format", "", "the `format` of the input (default: by name and content)")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON, with the notes")
	completeFlag(cmd, "to", formsAndAgents)
	completeFlag(cmd, "format", mcpconf.Formats)
	return cmd
}

func formNames() string {
	var names []string
	for _, f := range mcpconf.Forms() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

func formsAndAgents() []string {
	names := target.Names()
	for _, f := range mcpconf.Forms() {
		if !slices.Contains(names, string(f)) {
			names = append(names, string(f))
		}
	}
	return names
}

// lookupForm finds a form by its own name or by an agent type that reads it.
func lookupForm(flag, name string) (mcpconf.Form, error) {
	if slices.Contains(mcpconf.Forms(), mcpconf.Form(name)) {
		return mcpconf.Form(name), nil
	}
	if t, ok := target.Lookup(name); ok {
		return t.Form, nil
	}
	if name == "" {
		return "", &usageError{fmt.Errorf("%s is missing", flag), "heretic mcp convert"}
	}
	return "", &usageError{withHint(fmt.Errorf("%s: unknown form %q", flag, name), "the known are "+strings.Join(formsAndAgents(), ", ")), ""}
}

func runMCPConvert(a *App, o mcpConvertOptions) error {
	form, err := lookupForm("--to", o.to)
	if err != nil {
		return err
	}
	in, err := a.readMCP(o.path, o.format)
	if err != nil {
		return err
	}
	set, err := in.parse()
	if err != nil {
		return err
	}
	out, err := mcpconf.Render(form, set.Servers, mcpconf.RenderOptions{KeepRefs: true})
	if err != nil {
		return err
	}
	notes := append(set.Notes, out.Notes...)
	if o.json {
		return a.IO.JSON(mcpConvertResult{
			From: set.Dialect, To: form,
			Servers: orEmpty(out.Servers), Notes: orEmpty(notes), Content: string(out.Data),
		})
	}
	a.printNotes(notes)
	return a.IO.Print(out.Data)
}

// orEmpty makes an empty list print as [] rather than null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
