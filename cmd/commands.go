package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// command is one of heretic's commands: what a list shows of it, and how it is
// built.
type command struct {
	names        string // the name, and after spaces what else it is called
	group, short string
	build        func(*App) *cobra.Command
}

func (c command) has(name string) bool { return slices.Contains(strings.Fields(c.names), name) }

func commands() []command {
	return []command{
		{"run", groupRun, "Run an agent on this project, in a container", newRun},
		{"ps list ls", groupRun, "List the sessions of this project", newPS},
		{"attach", groupRun, "Come back to an agent that runs in the background", newAttach},
		{"logs", groupRun, "Print what an agent has written", newLogs},
		{"exec", groupRun, "Run a command in the container of a session", newExec},
		{"stop", groupRun, "Stop sessions", newStop},
		{"prune", groupRun, "Remove what ended sessions have left", newPrune},
		{"init", groupProfile, "Make your first profile", newInit},
		{"agents", groupProfile, "List, show, check and change profiles", newAgents},
		{"local-init", groupProfile, "Make this project's override of a profile", newLocalInit},
		{"local-validate", groupProfile, "Check this project's overrides", newLocalValidate},
		{"trust", groupProfile, "Approve what this project's profiles ask for", newTrust},
		{"schema", groupProfile, "Print the JSON Schema of profiles", newSchema},
		{"secret", groupProfile, "Keep secrets in the system's keychain", newSecret},
		{"mcp", groupMCP, "See and convert MCP configuration", newMCP},
		{"image", groupMCP, "Build images that have agents in them", newImage},
		{"doctor", groupOther, "Find out what is wrong, and how to mend it", newDoctor},
		{"completion", groupOther, "Print the completion script of a shell", newCompletion},
		{"version", groupOther, "Print heretic's version", newVersion},
	}
}

// tree makes the commands. Those that whole does not pick have no flags and no
// commands of their own: enough for a list, and a fraction of the time that it
// takes to start.
func (a *App) tree(whole func(command) bool) []*cobra.Command {
	var all []*cobra.Command
	for _, c := range commands() {
		names := strings.Fields(c.names)
		cmd := &cobra.Command{Use: names[0], RunE: func(*cobra.Command, []string) error {
			return fmt.Errorf("the command %s was not built", names[0])
		}}
		if whole(c) {
			cmd = c.build(a)
		}
		cmd.GroupID, cmd.Short, cmd.Aliases = c.group, c.short, names[1:]
		all = append(all, cmd)
	}
	return all
}

func everything(command) bool { return true }

// needed picks the command that the arguments are for; all of them where that
// is not plain.
func needed(args []string) func(command) bool {
	if isCompletion(args) {
		args = args[1:max(1, len(args)-1)] // the last word is the one to complete
	} else if len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
		args = nil
	}
	if len(args) == 0 {
		return func(command) bool { return false }
	}
	i := firstWord(args)
	if i < 0 || args[i] == "help" {
		return everything
	}
	word := args[i]
	if !isCommand(word) {
		word = "run"
	}
	return func(c command) bool { return c.has(word) }
}

func isCommand(word string) bool {
	return word == "help" || slices.ContainsFunc(commands(), func(c command) bool { return c.has(word) })
}

func isCompletion(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}
