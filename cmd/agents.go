package cmd

import "github.com/spf13/cobra"

func newAgents(a *App) *cobra.Command {
	return group("agents",
		`Profiles say how agents are launched. The global ones are in
~/.heretic/agents/<name>.yaml; a project can change them in
.heretic/cli/<name>.yaml. See 'heretic help profiles'.`,
		newAgentsList(a), newAgentsShow(a), newAgentsDiff(a), newAgentsValidate(a),
		newAgentsAdd(a), newAgentsEdit(a), newAgentsDelete(a), newAgentsMCP(a))
}
