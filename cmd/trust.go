package cmd

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"heretic/profile"
	"heretic/profile/trust"
)

type trustOptions struct {
	agents             []string
	list, revoke, json bool
	dryRun             bool
}

// trustEntry is one approval in the output of trust --list --json.
type trustEntry struct {
	Project  string        `json:"project"`
	Agent    string        `json:"agent"`
	Approved time.Time     `json:"approved,omitzero"`
	Powers   []trust.Power `json:"powers"`
}

func newTrust(a *App) *cobra.Command {
	var o trustOptions
	cmd := &cobra.Command{
		Use: "trust [<agent>...] [--list | --revoke | --dry-run] [--json]",
		Long: `A project's own profile (.heretic/cli/<agent>.yaml) comes with the project. What
it asks for beyond the sandbox (variables of your environment, secrets, images,
commands, mounts outside of the project) applies only after your approval, which
is asked for when the agent is run. This command gives it beforehand.

An approval holds for exactly what is printed: a change of it asks again. Without
names, all agents that this project has a profile for are meant.`,
		Args:                  cobra.ArbitraryArgs,
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     a.completeAgents,
		RunE: func(_ *cobra.Command, args []string) error {
			o.agents = args
			switch {
			case o.list:
				return runTrustList(a, o)
			case o.revoke:
				return runTrustRevoke(a, o)
			}
			return runTrust(a, o)
		},
	}
	cmd.Flags().BoolVar(&o.list, "list", false, "list the approvals of all projects")
	cmd.Flags().BoolVar(&o.revoke, "revoke", false, "take the approval of this project back")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "print what would be approved, and approve nothing")
	cmd.MarkFlagsMutuallyExclusive("list", "revoke", "dry-run")
	return cmd
}

func runTrust(a *App, o trustOptions) error {
	project, loader, err := a.projectLoader()
	if err != nil {
		return err
	}
	store, err := a.trustStore()
	if err != nil {
		return err
	}
	if len(o.agents) == 0 {
		if o.agents, err = localAgents(loader); err != nil {
			return err
		}
	}
	results := []trustEntry{}
	for _, agent := range o.agents {
		merged, err := loader.Merge(agent, profile.Options{})
		if err != nil {
			return err
		}
		powers, err := powersOf(merged, project.Dir)
		if err != nil {
			return err
		}
		powers = slices.DeleteFunc(powers, func(p trust.Power) bool {
			if !p.Approvable() {
				a.IO.Warn(agent + ": cannot be approved beforehand: " + powerLine(p))
			}
			return !p.Approvable()
		})
		entry := trustEntry{Project: project.Dir, Agent: agent, Powers: orEmpty(powers)}
		if !o.dryRun {
			if err := store.Approve(project.Dir, agent, powers); err != nil {
				return err
			}
			entry.Approved = time.Now().UTC()
		}
		results = append(results, entry)
	}
	if o.json {
		return a.IO.JSON(results)
	}
	if len(results) == 0 {
		a.IO.Say("This project has no profiles of its own: there is nothing to approve.")
	}
	for _, r := range results {
		if len(r.Powers) == 0 {
			a.IO.Say("%s: nothing to approve.", r.Agent)
			continue
		}
		done := "Approved"
		if o.dryRun {
			done = "To approve"
		}
		a.IO.Say("%s for %s in %s:", done, r.Agent, r.Project)
		for _, p := range r.Powers {
			a.IO.Say("  %s", powerLine(p))
		}
		if o.dryRun {
			a.IO.Hint("approve it: heretic trust " + r.Agent)
			continue
		}
		a.IO.Hint("run it: heretic " + r.Agent + "; take it back: heretic trust --revoke " + r.Agent)
	}
	return nil
}

// localAgents are the agents that the project has a profile for.
func localAgents(loader profile.Loader) ([]string, error) {
	entries, err := loader.List()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.Local != "" {
			names = append(names, e.Name)
		}
	}
	return names, nil
}

func runTrustList(a *App, o trustOptions) error {
	store, err := a.trustStore()
	if err != nil {
		return err
	}
	records, err := store.List()
	if err != nil {
		return err
	}
	entries := make([]trustEntry, 0, len(records))
	var rows [][]string
	for _, r := range records {
		entries = append(entries, trustEntry{r.Project, r.Agent, r.Approved, orEmpty(r.Powers)})
		rows = append(rows, []string{r.Project, r.Agent, r.Approved.Local().Format(time.DateTime), fmt.Sprint(len(r.Powers))})
	}
	if o.json {
		return a.IO.JSON(entries)
	}
	if len(rows) == 0 {
		a.IO.Say("No project is approved.")
		return nil
	}
	return a.IO.Table([]string{"PROJECT", "AGENT", "APPROVED", "POWERS"}, rows)
}

func runTrustRevoke(a *App, o trustOptions) error {
	project, err := a.Project(false)
	if err != nil {
		return err
	}
	store, err := a.trustStore()
	if err != nil {
		return err
	}
	if len(o.agents) == 0 {
		o.agents = []string{""} // all of them
	}
	revoked := []trustEntry{}
	for _, agent := range o.agents {
		records, err := store.Revoke(project.Dir, agent)
		if err != nil {
			return err
		}
		for _, r := range records {
			revoked = append(revoked, trustEntry{r.Project, r.Agent, r.Approved, orEmpty(r.Powers)})
		}
	}
	if o.json {
		return a.IO.JSON(revoked)
	}
	for _, r := range revoked {
		a.IO.Say("Revoked for %s in %s.", r.Agent, r.Project)
	}
	if len(revoked) == 0 {
		a.IO.Say("Nothing was approved in %s.", project.Dir)
	}
	return nil
}
