// Package target says, as one row of data for each agent type, what the agent
// reads and where: the form of its MCP configuration, how it is delivered, its
// home directory, what pre-approves servers and what else it needs to start.
//
// A further agent is a further row here and a golden file of what it gets.
package target

import (
	"slices"

	"heretic/mcpconf"
)

// Delivery is how the generated configuration reaches the agent.
type Delivery int

const (
	// Workspace: a read-only file mount at Path below the workspace.
	Workspace Delivery = iota
	// HomeFile: a read-only file mount at Path below every agent home.
	HomeFile
	// HomeMerge: the servers are a part of the file at Path in the agent
	// home, which the agent owns; only that part is replaced.
	HomeMerge
)

// Target is one agent type.
type Target struct {
	Name     string       // the value of agent_type
	Title    string       // the program's own name
	Provider string       // what provider defaults to
	Form     mcpconf.Form // what the servers are rendered as
	Delivery Delivery
	Path     string // of the configuration, below the workspace or a home

	// OwnFile is the project's file that counts as the user's own
	// configuration, below the project; empty where there is none.
	OwnFile string
	// OwnFileWins tells that a usable OwnFile is used instead of the
	// generated file, unless mcp_override is set.
	OwnFileWins bool
	// MergeOwnFile tells that the container sees OwnFile with only its
	// servers replaced (acpx).
	MergeOwnFile bool

	// HomeDirs are the directories below the user's home where the agent
	// keeps settings, login and history. Each is mounted from the session.
	HomeDirs []string
	// Env is what the agent needs in its environment. {home} stands for the
	// container user's home, {workspace} for the workspace.
	Env []mcpconf.Var
	// TrustEnv is set only when the workspace is trusted.
	TrustEnv []mcpconf.Var
	// NeedsTrust tells that the agent uses no server at all in a workspace
	// that is not trusted.
	NeedsTrust bool
	// PassEnv are the variables of the container that servers need although
	// the agent clears their environment.
	PassEnv []string
	// Settings are edits of files below the home that the agent owns.
	Settings []Setting
	// UserSettings is the JSON file below the home that a profile's
	// claude_settings are laid over; empty where there is no such file.
	UserSettings string
	// APIKeyEnv names the variable whose value is {apikey20}'s key.
	APIKeyEnv string
	// BreaksOn are files of the project that stop the agent when they are
	// malformed (gemini, opencode).
	BreaksOn []string
	// Activates are paths of the project that the agent obeys once the
	// workspace is trusted: settings, hooks, servers.
	Activates []string
	// NoMCP is the note for an agent that has no MCP client.
	NoMCP string
}

// SettingWhen tells in which launches a Setting is written.
type SettingWhen int

const (
	Always       SettingWhen = iota
	WhenTrusted              // the workspace is trusted
	WhenApproved             // servers are pre-approved
	WhenAPIKey               // an API key is in the container's environment
)

// AsksTrust tells whether the agent asks if it may trust a workspace, unless
// it is told.
func (t Target) AsksTrust() bool {
	return len(t.TrustEnv) > 0 || slices.ContainsFunc(t.Settings, func(s Setting) bool { return s.When == WhenTrusted })
}

// Setting sets one key of a file below the agent's home.
type Setting struct {
	File string // below the home: ".claude/settings.json"
	// Key is the path of keys. {workspace} stands for the workspace.
	Key []string
	// Value is what the key is set to. The words "{servers}" (names of the
	// generated servers), "{workspace}" and "{apikey20}" (the last 20
	// characters of the API key) are replaced.
	Value any
	// Union keeps what an existing list has and adds what is missing, less
	// what heretic itself added earlier.
	Union bool
	// Default leaves another value that is there as it is.
	Default bool
	When    SettingWhen
}
