package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"heretic/cmd/internal/ui"
	"heretic/mcpconf/target"
	"heretic/profile"
)

type initOptions struct {
	agentType, name, image, credential string
	yes                                bool
}

func newInit(a *App) *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use: "init [--agent <agent-type>] [--yes] [flags]",
		Long: `Make a profile, step by step: which agent, which image, and where its credential
comes from. Every question can be answered by a flag; --yes takes the default for
the others.

Credentials:
  env[:NAME]      a variable of your environment
  script:PATH     a program that prints it
  file:PATH       a dotenv file that has it (NAME=value)
  keychain        the system's keychain; typed, or piped to heretic
  none            log in inside the container; the session keeps the login`,
		Example: `  heretic init
  heretic init --agent claude --yes
  heretic init --agent claude --credential env:CLAUDE_CODE_OAUTH_TOKEN --yes`,
		Args:                  takes(nil),
		DisableFlagsInUseLine: true,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return runInit(cmd.Context(), a, o) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.agentType, "agent", "", "the `type` of agent: "+strings.Join(target.Names(), ", "))
	flags.StringVar(&o.name, "name", "", "the `name` of the profile (default: by the agent)")
	flags.StringVar(&o.image, "image", "", "the `image`; build is the one that heretic builds")
	flags.StringVar(&o.credential, "credential", "", "where the `credential` comes from")
	flags.BoolVarP(&o.yes, "yes", "y", false, "ask nothing")
	completeFlag(cmd, "agent", target.Names)
	return cmd
}

func runInit(ctx context.Context, a *App, o initOptions) error {
	if o.agentType != "" && !slices.Contains(target.Names(), o.agentType) {
		return &usageError{withHint(fmt.Errorf("unknown agent type %q", o.agentType), "the known are "+strings.Join(target.Names(), ", ")), ""}
	}
	var prompter *ui.Prompter
	if !o.yes {
		var err error
		prompter, err = a.IO.Prompter()
		if errors.Is(err, ui.ErrNoTerminal) {
			return &approvalError{text: "init asks questions, and there is no terminal", hint: "heretic init --agent claude --yes"}
		}
		if err != nil {
			return err
		}
		defer prompter.Close()
	}
	w := wizard{app: a, prompter: prompter, o: o}
	if err := w.agent(ctx); err != nil {
		return err
	}
	loader, err := a.Loader("")
	if err != nil {
		return err
	}
	file := &profileFile{path: loader.GlobalPath(w.o.name)}
	if err := file.read(); err != nil {
		return err
	}
	if file.exists {
		return withHint(fmt.Errorf("there is a profile %q already: %s", w.o.name, file.path),
			"heretic agents edit "+w.o.name+", or choose another name: heretic init --name NAME")
	}
	if err := w.imageName(ctx); err != nil {
		return err
	}
	credential, err := w.credential(ctx, loader.HereticHome)
	if err != nil {
		return err
	}
	data := scaffold{
		description: w.row.Title, agentType: w.row.Name, image: w.o.image,
		env: credential.env, secrets: credential.secrets, envFile: credential.envFile,
	}.text()
	if err := file.write(loader, data); err != nil {
		return err
	}
	if err := a.writeSchema(loader.HereticHome); err != nil {
		return err
	}
	a.IO.Say("Wrote %s.", file.path)
	if credential.note != "" {
		a.IO.Note(credential.note)
	}
	a.IO.Say("\nNext:")
	if w.o.image == "" {
		a.IO.Say("  heretic image build %-12s once, the image with the agent", w.row.Name)
	}
	a.IO.Say("  heretic agents mcp %-13s give it your MCP servers", w.o.name)
	a.IO.Say("  heretic %-24s see whether all that it needs is there", "doctor")
	a.IO.Say("  heretic %-24s run it, in a project's directory", w.o.name)
	return nil
}

// wizard asks for what the flags leave open.
type wizard struct {
	app      *App
	prompter *ui.Prompter // nil: take the defaults
	o        initOptions
	row      target.Target
}

func (w *wizard) agent(ctx context.Context) error {
	if w.o.agentType == "" {
		w.o.agentType = "claude"
		if w.prompter != nil {
			var options []ui.Option
			for _, row := range target.All() {
				options = append(options, ui.Option{Name: row.Name, Text: row.Title})
			}
			i, err := w.prompter.Choose(ctx, "Which agent?", options, 0)
			if err != nil {
				return err
			}
			w.o.agentType = options[i].Name
		}
	}
	w.row, _ = target.Lookup(w.o.agentType)
	if w.o.name == "" {
		w.o.name = strings.TrimSuffix(w.o.agentType, "-cli")
		if w.prompter != nil {
			var err error
			if w.o.name, err = w.prompter.Ask(ctx, "Name of the profile", w.o.name); err != nil {
				return err
			}
		}
	}
	if err := profile.CheckName("agent", w.o.name); err != nil {
		return &usageError{err, ""}
	}
	return nil
}

// imageName asks for the image; empty is the one that heretic builds.
func (w *wizard) imageName(ctx context.Context) error {
	if w.o.image == "" && w.prompter != nil {
		var err error
		w.o.image, err = w.prompter.Ask(ctx, "Image (build: heretic builds one with the agent in it)", "build")
		if err != nil {
			return err
		}
	}
	if w.o.image == "build" {
		w.o.image = ""
	}
	return nil
}
