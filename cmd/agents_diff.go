package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"heretic/cmd/internal/ui"
	"heretic/profile"
)

// changeEntry is one change in the output of agents diff --json.
type changeEntry struct {
	Path string `json:"path"`
	Was  string `json:"was"`
	Is   string `json:"is"`
	From string `json:"from,omitempty"` // where Was stands
	By   string `json:"by"`             // where Is stands
}

func newAgentsDiff(a *App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "diff <agent> [--json]",
		Short: "Print what this project changes in a profile",
		Long: `Print what this project's override changes against the global profile. Values
that may be secret are masked.`,
		Args:                  takes([]string{"agent"}),
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     a.completeAgents,
		RunE:                  func(_ *cobra.Command, args []string) error { return runAgentsDiff(a, args[0], asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

func runAgentsDiff(a *App, agent string, asJSON bool) error {
	_, loader, err := a.projectLoader()
	if err != nil {
		return err
	}
	merged, err := loader.Merge(agent, profile.Options{})
	if err != nil {
		return err
	}
	changes, err := merged.Changes()
	if err != nil {
		return err
	}
	entries := make([]changeEntry, 0, len(changes))
	for _, c := range changes {
		e := changeEntry{Path: c.Path, Was: c.Was, Is: c.Is, By: c.By.String()}
		if c.Was != "" {
			e.From = c.From.String()
		}
		entries = append(entries, e)
	}
	if asJSON {
		return a.IO.JSON(entries)
	}
	if len(entries) == 0 {
		a.IO.Say("This project changes nothing in %s.", agent)
	}
	for _, e := range entries {
		if err := a.printChange(e); err != nil {
			return err
		}
	}
	return nil
}

// printChange prints one change as a diff does.
func (a *App) printChange(e changeEntry) error {
	if e.Was != "" {
		if err := a.IO.Line(ui.Red, fmt.Sprintf("- %s: %s  # %s", e.Path, e.Was, e.From)); err != nil {
			return err
		}
	}
	if e.Is == "" {
		return nil
	}
	return a.IO.Line(ui.Green, fmt.Sprintf("+ %s: %s  # %s", e.Path, e.Is, e.By))
}
