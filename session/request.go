package session

import (
	"io"

	"heretic/mcpconf/target"
	"heretic/profile"
)

// Request is what the user wants launched.
type Request struct {
	Profile profile.Profile // resolved; its Project is a real path
	Target  target.Target   // the row of Profile.AgentType
	Session string

	Pull       string // missing (also ""), always or never
	Detach     bool
	Keep       bool // the container stays when the agent ends
	DetachKeys string
	// EngineSocket is where the engine's socket is on its machine, for a
	// profile that wants it inside.
	EngineSocket string
	// ProxyEnv is what the docker configuration wants in every container's
	// environment, as NAME=value.
	ProxyEnv []string
	// Terminal tells that standard input and output are a terminal.
	Terminal bool

	// Approved tells that the user stands behind the servers: they come from
	// the user's own profile or flags, or the project's were approved.
	Approved bool
	// Trusted tells that the user approved what the project itself would
	// activate in the agent. It is not asked for where there is nothing.
	Trusted bool
	// Version of heretic, for the container's label.
	Version string

	// DryRun keeps [Gather] from pulling and from creating containers.
	DryRun   bool
	Progress io.Writer // of a pull
}
