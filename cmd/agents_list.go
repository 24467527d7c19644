package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"heretic/profile"
)

// agentEntry is one agent in the output of agents list --json.
type agentEntry struct {
	Name        string   `json:"name"`
	AgentType   string   `json:"agent_type"`
	Image       string   `json:"image"`
	Description string   `json:"description"`
	Path        string   `json:"path,omitempty"`  // of the global profile
	Local       string   `json:"local,omitempty"` // of the project's override
	Errors      []string `json:"errors,omitempty"`
}

func newAgentsList(a *App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:                   "list [--json]",
		Short:                 "List the agents that can be run here",
		Aliases:               []string{"ls"},
		Args:                  takes(nil),
		DisableFlagsInUseLine: true,
		RunE:                  func(*cobra.Command, []string) error { return runAgentsList(a, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

func runAgentsList(a *App, asJSON bool) error {
	loader, err := a.profiles()
	if err != nil {
		return err
	}
	entries, err := loader.List()
	if err != nil {
		return err
	}
	if asJSON {
		list := make([]agentEntry, 0, len(entries))
		for _, e := range entries {
			list = append(list, newAgentEntry(e))
		}
		return a.IO.JSON(list)
	}
	if len(entries) == 0 {
		a.IO.Say("No profiles in %s.", loader.HereticHome)
		a.IO.Hint("make the first one with: heretic init")
		return nil
	}
	var rows [][]string
	broken := 0
	for _, e := range entries {
		about := e.Description
		if e.Err != nil {
			broken++
			about = "(broken)"
		}
		rows = append(rows, []string{e.Name, e.AgentType, e.Image, origin(e), about})
	}
	if err := a.IO.Table([]string{"NAME", "TYPE", "IMAGE", "FROM", "DESCRIPTION"}, rows); err != nil {
		return err
	}
	if broken > 0 {
		a.IO.Warn(fmt.Sprintf("%d of them cannot be used: heretic agents validate", broken))
	}
	return nil
}

// origin says which layers an agent has.
func origin(e profile.Entry) string {
	switch {
	case e.Local == "":
		return "global"
	case e.Path == "":
		return "local"
	default:
		return "global+local"
	}
}

func newAgentEntry(e profile.Entry) agentEntry {
	out := agentEntry{Name: e.Name, AgentType: e.AgentType, Image: e.Image, Description: e.Description, Path: e.Path, Local: e.Local}
	if e.Err != nil {
		for _, err := range messages(e.Err) {
			out.Errors = append(out.Errors, err.Error())
		}
	}
	return out
}

// profiles is the loader for the current project, or for the global profiles
// alone where there is no project.
func (a *App) profiles() (profile.Loader, error) {
	project, err := a.projectIfAny()
	if err != nil {
		return profile.Loader{}, err
	}
	return a.Loader(project)
}
