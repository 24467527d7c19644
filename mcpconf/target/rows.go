package target

import "heretic/mcpconf"

// All returns the rows in the order they are shown. What an agent reads, and
// what it asks at its first start, was measured with the real programs; docs
// name the versions.
func All() []Target {
	// A literal dollar sign, for agents whose variables have no default.
	dollar := []mcpconf.Var{{Name: mcpconf.DollarVar, Value: "$"}}
	return []Target{
		{
			Name: "claude", Title: "Claude Code", Provider: "anthropic",
			Form: mcpconf.Claude, Delivery: Workspace, Path: ".mcp.json",
			OwnFile: ".mcp.json", OwnFileWins: true,
			HomeDirs: []string{".claude"},
			// As root it refuses --dangerously-skip-permissions unless it is
			// told that it is in a sandbox.
			Env: []mcpconf.Var{{Name: "CLAUDE_CONFIG_DIR", Value: "{home}/.claude"}, {Name: "IS_SANDBOX", Value: "1"}},
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
			Name: "codex", Title: "Codex CLI", Provider: "openai",
			Form: mcpconf.Codex, Delivery: HomeMerge, Path: ".codex/config.toml",
			HomeDirs: []string{".codex"},
			Settings: []Setting{
				{File: ".codex/config.toml", Key: []string{"projects", "{workspace}", "trust_level"}, Value: "trusted", When: WhenTrusted},
				{File: ".codex/config.toml", Key: []string{"features", "daemon_auto_start"}, Value: false},
				// By itself it starts the first turn without the servers that
				// take a moment.
				{File: ".codex/config.toml", Key: []string{"mcp_optional_startup_grace_ms"}, Value: 10000},
				// A key in the environment alone gets its login screen; a
				// provider that takes it from there does not.
				{File: ".codex/config.toml", Key: []string{"model_providers", "openai-key"}, Default: true, When: WhenAPIKey, Value: map[string]any{
					"name": "OpenAI", "base_url": "https://api.openai.com/v1", "env_key": "OPENAI_API_KEY", "wire_api": "responses",
				}},
				{File: ".codex/config.toml", Key: []string{"model_provider"}, Value: "openai-key", Default: true, When: WhenAPIKey},
			},
			APIKeyEnv: "OPENAI_API_KEY",
			Activates: []string{".codex"},
			PassEnv:   []string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy"},
		},
		{
			Name: "gemini", Title: "Gemini CLI", Provider: "google",
			Form: mcpconf.Gemini, Delivery: HomeMerge, Path: ".gemini/settings.json",
			HomeDirs: []string{".gemini"},
			TrustEnv: []mcpconf.Var{{Name: "GEMINI_CLI_TRUST_WORKSPACE", Value: "true"}}, NeedsTrust: true,
			Settings: []Setting{
				{File: ".gemini/settings.json", Key: []string{"security", "auth", "selectedType"}, Value: "gemini-api-key", When: WhenAPIKey},
			},
			APIKeyEnv: "GEMINI_API_KEY",
			BreaksOn:  []string{".gemini/settings.json"},
			Activates: []string{".gemini", ".env"},
		},
		{
			Name: "qwen", Title: "Qwen Code", Provider: "thirdparty",
			Form: mcpconf.Qwen, Delivery: HomeMerge, Path: ".qwen/settings.json",
			HomeDirs: []string{".qwen"},
			Env:      dollar,
			Settings: []Setting{
				{File: ".qwen/settings.json", Key: []string{"$version"}, Value: 4},
			},
		},
		{
			Name: "opencode", Title: "opencode", Provider: "thirdparty",
			Form: mcpconf.Opencode, Delivery: HomeMerge, Path: ".config/opencode/opencode.json",
			HomeDirs: []string{".config/opencode", ".local/share/opencode", ".local/state/opencode"},
			BreaksOn: []string{"opencode.json", "opencode.jsonc"},
		},
		{
			Name: "amp", Title: "Amp", Provider: "thirdparty",
			Form: mcpconf.Amp, Delivery: HomeMerge, Path: ".config/amp/settings.json",
			HomeDirs: []string{".config/amp", ".local/share/amp"},
			Env:      dollar,
		},
		{
			Name: "cline", Title: "Cline CLI", Provider: "thirdparty",
			Form: mcpconf.Cline, Delivery: HomeMerge, Path: ".cline/data/settings/cline_mcp_settings.json",
			HomeDirs: []string{".cline"},
			Settings: []Setting{
				{File: ".cline/data/settings/cli-notices.json", Key: []string{"shown", "cline-cli-cline-pass-intro"}, Value: true},
				{File: ".cline/data/settings/cli-notices.json", Key: []string{"shown", "cline-cli-desktop-launch"}, Value: true},
			},
		},
		{
			Name: "acpx", Title: "acpx", Provider: "thirdparty",
			Form: mcpconf.Acpx, Delivery: Workspace, Path: ".acpxrc.json",
			OwnFile: ".acpxrc.json", MergeOwnFile: true,
			HomeDirs: []string{".acpx"},
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
