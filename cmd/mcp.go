package cmd

import "github.com/spf13/cobra"

func newMCP(a *App) *cobra.Command {
	return group("mcp",
		`See what an agent would get, and turn MCP configuration of one tool into
another's. Nothing here contacts a server.`,
		newMCPRender(a), newMCPConvert(a))
}
