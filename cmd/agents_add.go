package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"heretic/mcpconf/target"
	"heretic/profile"
)

type addOptions struct {
	name, from                    string
	agentType, image, description string
}

func newAgentsAdd(a *App) *cobra.Command {
	var o addOptions
	cmd := &cobra.Command{
		Use:   "add <agent> [--from <file> | --type <agent-type> --image <image>]",
		Short: "Make a new global profile",
		Long: `Make a new global profile: a copy of a file, or a commented one to begin with. The
agent type is taken from the name where it says one (claude, codex, ...).`,
		Example: `  heretic agents add claude
  heretic agents add review --type codex --image my-codex:1
  heretic agents add team --from ./team.yaml`,
		Args:                  takes([]string{"agent"}),
		DisableFlagsInUseLine: true,
		RunE: func(_ *cobra.Command, args []string) error {
			o.name = args[0]
			return runAgentsAdd(a, o)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.from, "from", "", "copy this `file`; - is standard input")
	flags.StringVar(&o.agentType, "type", "", "the `type` of agent: "+strings.Join(target.Names(), ", "))
	flags.StringVar(&o.image, "image", "", "the `image` to run")
	flags.StringVar(&o.description, "description", "", "a `text` for lists")
	completeFlag(cmd, "type", target.Names)
	for _, flag := range []string{"type", "image", "description"} {
		cmd.MarkFlagsMutuallyExclusive("from", flag)
	}
	return cmd
}

func runAgentsAdd(a *App, o addOptions) error {
	if err := profile.CheckName("agent", o.name); err != nil {
		return &usageError{err, ""}
	}
	if o.agentType == "" {
		o.agentType = guessType(o.name)
	} else if !slices.Contains(target.Names(), o.agentType) {
		return &usageError{withHint(fmt.Errorf("unknown agent type %q", o.agentType), "the known are "+strings.Join(target.Names(), ", ")), ""}
	}
	loader, err := a.Loader("")
	if err != nil {
		return err
	}
	file := &profileFile{path: loader.GlobalPath(o.name)}
	if err := file.read(); err != nil {
		return err
	}
	if file.exists {
		return withHint(fmt.Errorf("there is a profile %q already: %s", o.name, file.path), "heretic agents edit "+o.name)
	}
	data := scaffold{description: o.description, agentType: o.agentType, image: o.image}.text()
	switch o.from {
	case "":
	case "-":
		data, err = readAll(a.IO.In, stdinName)
	default:
		data, err = readFile(o.from)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("no such file: %q", o.from)
	}
	if err != nil {
		return err
	}
	if o.from != "" { // the error names the file that the user knows
		notes, err := loader.Validate(o.from, data, false)
		if err != nil {
			return err
		}
		a.printNotes(notes)
	}
	if err := file.write(loader, data); err != nil {
		return err
	}
	if err := a.writeSchema(loader.HereticHome); err != nil {
		return err
	}
	a.IO.Say("Wrote %s.", file.path)
	a.IO.Hint("change it: heretic agents edit " + o.name + "; give it MCP servers: heretic agents mcp " + o.name + "; run it: heretic " + o.name)
	return nil
}
