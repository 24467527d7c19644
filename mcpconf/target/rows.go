package target

import "heretic/mcpconf"

// All returns the rows in the order they are shown.
func All() []Target {
	return []Target{
		{
			Name: "claude", Title: "Claude Code", Provider: "anthropic",
			Form: mcpconf.Claude, Delivery: Workspace, Path: ".mcp.json",
			OwnFile: ".mcp.json", OwnFileWins: true,
			HomeDirs: []string{".claude"},
			Env:      []mcpconf.Var{{Name: "CLAUDE_CONFIG_DIR", Value: "{home}/.claude"}},
			Settings: []Setting{
				{File: ".claude/.claude.json", Key: []string{"hasCompletedOnboarding"}, Value: true},
				{File: ".claude/.claude.json", Key: []string{"projects", "{workspace}", "hasTrustDialogAccepted"}, Value: true, When: WhenTrusted},
				{File: ".claude/.claude.json", Key: []string{"customApiKeyResponses", "approved"}, Value: "{apikey20}", Union: true, When: WhenAPIKey},
				{File: ".claude/settings.json", Key: []string{"enabledMcpjsonServers"}, Value: "{servers}", Union: true, When: WhenApproved},
			},
			UserSettings: ".claude/settings.json", APIKeyEnv: "ANTHROPIC_API_KEY",
			Activates: []string{".claude", ".mcp.json"},
		},
		{
			Name: "copilot-cli", Title: "GitHub Copilot CLI", Provider: "copilot",
			Form: mcpconf.Copilot, Delivery: HomeFile, Path: ".copilot/mcp-config.json",
			OwnFile: ".copilot/mcp-config.json", OwnFileWins: true,
			HomeDirs: []string{".copilot"},
			Settings: []Setting{
				{File: ".copilot/config.json", Key: []string{"trustedFolders"}, Value: "{workspace}", Union: true, When: WhenTrusted},
			},
			Activates: []string{".mcp.json", ".github/mcp.json", ".github/hooks"},
		},
		{
			Name: "aider", Title: "aider", Provider: "thirdparty",
			Form: mcpconf.Claude, Delivery: Workspace, Path: ".mcp.json",
			OwnFile: ".mcp.json", OwnFileWins: true,
			NoMCP: "aider has no MCP client: the servers are delivered, but aider does not use them",
		},
		{
			Name: "generic", Title: "any command", Provider: "thirdparty",
			Form: mcpconf.Claude, Delivery: Workspace, Path: ".mcp.json",
			OwnFile: ".mcp.json", OwnFileWins: true,
		},
	}
}

// Lookup finds a row by the name of the agent type.
func Lookup(name string) (Target, bool) {
	for _, t := range All() {
		if t.Name == name {
			return t, true
		}
	}
	return Target{}, false
}

// Names are the agent types.
func Names() []string {
	var names []string
	for _, t := range All() {
		names = append(names, t.Name)
	}
	return names
}
