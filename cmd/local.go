package cmd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"heretic/session"
)

func newLocalInit(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "local-init [<agent>]",
		Long: `Make .heretic/cli/<agent>.yaml: what this project changes in a global profile. It
changes nothing as it stands. .heretic/temp, where sessions keep their files, is
made with a .gitignore of its own; .heretic/cli is meant to be committed.`,
		Args:                  takes(nil, "agent"),
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     a.completeAgents,
		RunE: func(_ *cobra.Command, args []string) error {
			return runLocalInit(a, strings.Join(args, ""))
		},
	}
}

func runLocalInit(a *App, agent string) error {
	project, loader, err := a.projectLoader()
	if err != nil {
		return err
	}
	if agent == "" {
		entries, err := loader.List()
		if err != nil {
			return err
		}
		if len(entries) != 1 {
			return &usageError{withHint(errors.New("missing argument <agent>"), "heretic agents list"), ""}
		}
		agent = entries[0].Name
	}
	file, err := a.localProfile(loader, agent)
	if err != nil {
		return err
	}
	if file.exists {
		return withHint(fmt.Errorf("this project has an override of %q already: %s", agent, file.path), "heretic agents edit "+agent+" --local")
	}
	if err := session.Prepare(project.Dir); err != nil {
		return err
	}
	if err := a.writeProfile(loader, agent, file, localScaffold(agent)); err != nil {
		return err
	}
	a.IO.Say("Wrote %s.", file.path)
	a.IO.Hint("change it: heretic agents edit " + agent + " --local; see what it changes: heretic agents diff " + agent)
	return nil
}

func newLocalValidate(a *App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:                   "local-validate [<agent>...] [--json]",
		Args:                  cobra.ArbitraryArgs,
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     a.completeAgents,
		RunE: func(_ *cobra.Command, args []string) error {
			return runLocalValidate(a, args, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

func runLocalValidate(a *App, agents []string, asJSON bool) error {
	project, loader, err := a.projectLoader()
	if err != nil {
		return err
	}
	locals, err := localAgents(loader)
	if err != nil {
		return err
	}
	if len(agents) == 0 {
		agents = locals
	}
	var results []checked
	for _, agent := range agents {
		file, err := a.localProfile(loader, agent)
		if err != nil {
			return err
		}
		if !file.exists {
			return withHint(fmt.Errorf("this project has no override of %q", agent), "heretic local-init "+agent)
		}
		results = append(results, checkAgent(loader, agent))
	}
	if len(results) == 0 && !asJSON {
		a.IO.Say("This project has no overrides in %s/.heretic/cli.", project.Dir)
		return nil
	}
	return a.reportChecked(results, asJSON)
}
