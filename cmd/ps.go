package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"heretic/session"
)

// psEntry is one session in the output of ps --json.
type psEntry struct {
	Agent     string    `json:"agent"`
	AgentType string    `json:"agent_type"`
	Session   string    `json:"session"`
	Project   string    `json:"project"`
	State     string    `json:"state"`
	Status    string    `json:"status"`
	ExitCode  *int      `json:"exit_code,omitempty"` // of one that has ended
	Started   time.Time `json:"started"`
	Age       int64     `json:"age_seconds"`
	Image     string    `json:"image"`
	Ports     []string  `json:"ports"`
	Container string    `json:"container"`
	ID        string    `json:"id"`
}

func newPS(a *App) *cobra.Command {
	var all, asJSON, quiet bool
	cmd := &cobra.Command{
		Use: "ps [--all] [--json | --quiet]",
		Long: `List the sessions of this project that have a container, running or kept after
their end. They are found by the labels of their containers.`,
		Args:                  takes(nil),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runPS(cmd.Context(), a, all, asJSON, quiet)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "the sessions of every project")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "print the names only")
	cmd.MarkFlagsMutuallyExclusive("json", "quiet")
	return cmd
}

func runPS(ctx context.Context, a *App, all, asJSON, quiet bool) error {
	_, list, err := a.sessions(ctx, all)
	if err != nil {
		return err
	}
	now := time.Now()
	entries := make([]psEntry, 0, len(list))
	for _, s := range list {
		entries = append(entries, newPSEntry(s, now))
	}
	switch {
	case asJSON:
		return a.IO.JSON(entries)
	case quiet:
		var rows [][]string
		for _, e := range entries {
			rows = append(rows, []string{e.Session})
		}
		return a.IO.Rows(rows)
	case len(entries) == 0 && all:
		a.IO.Say("No sessions.")
		return nil
	case len(entries) == 0:
		a.IO.Say("No sessions in this project (heretic ps --all shows those of every project).")
		return nil
	}
	header := []string{"SESSION", "AGENT", "STATE", "AGE", "IMAGE", "PORTS"}
	if all {
		header = slices.Insert(header, 2, "PROJECT")
	}
	var rows [][]string
	for _, e := range entries {
		row := []string{e.Session, e.Agent, e.Status, age(time.Duration(e.Age) * time.Second), e.Image, strings.Join(e.Ports, ", ")}
		if all {
			row = slices.Insert(row, 2, e.Project)
		}
		rows = append(rows, row)
	}
	return a.IO.Table(header, rows)
}

func newPSEntry(s session.Session, now time.Time) psEntry {
	c := s.Container
	e := psEntry{
		Agent: s.Agent, AgentType: s.AgentType, Session: s.Name, Project: s.Project,
		State: c.State, Status: c.State, Started: c.Created.UTC(), Age: int64(now.Sub(c.Created).Seconds()),
		Image: c.Image, Ports: orEmpty(c.Ports), Container: c.Name, ID: c.ID,
	}
	if c.State == "exited" || c.State == "dead" {
		e.ExitCode = &c.ExitCode
		e.Status = fmt.Sprintf("%s (%d)", c.State, c.ExitCode)
	}
	return e
}

// age is a duration in the one unit that matters.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", max(0, int(d.Seconds())))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	}
}
