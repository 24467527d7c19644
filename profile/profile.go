package profile

import (
	"heretic/mcpconf"
)

// Profile is the result of resolving all layers.
type Profile struct {
	Name        string
	Description string
	Image       string
	Runner      string // "docker"
	AgentType   string // a row of heretic/mcpconf/target
	Provider    string

	// Project is the absolute path of the project on the host; Workspace is
	// where it is mounted in the container.
	Project, Workspace string

	// Volumes holds every mount, the project's included.
	Volumes    []Volume
	Env        []EnvVar
	Workdir    string
	Command    []string // nil: the image's
	Entrypoint []string // nil: the image's
	// Interactive and TTY are what the profile allows; they take effect only
	// on a terminal.
	Interactive, TTY bool
	// Dind asks for the engine's socket inside the container.
	Dind  bool
	Extra Extra
	// Secrets that are delivered as files at /run/secrets/NAME.
	SecretFiles []SecretFile

	Servers     []mcpconf.Server
	MCPFile     string // absolute; empty when no mcp_file takes part
	MCPOverride bool
	// Sensitive are values of the host's variables that look like secrets by
	// their names, and went into something that is not masked as a whole:
	// [Profile.Mask] takes them out of what is shown.
	Sensitive []string

	// ClaudeSettings are user settings for the agent (claude_settings).
	ClaudeSettings map[string]any
}

// Volume is one mount. Source is an absolute host path, or the name of a named
// volume when Named is set.
type Volume struct {
	Source, Target string
	ReadOnly       bool
	Named          bool
	File           bool // Source is no directory
	Origin         Origin
}

// EnvVar is one variable of the container's environment. Secret values are
// masked wherever they are shown.
type EnvVar struct {
	Name, Value string
	Secret      bool
	Origin      Origin
}

// SecretFile is a secret that the container gets as a file.
type SecretFile struct{ Name, Value string }

// Extra is the `extra` map of a profile.
type Extra struct {
	Network      string
	Ports        []string // as docker run -p
	CapAdd       []string
	Privileged   bool
	User         string
	Hostname     string
	Memory       string // bytes, or with a unit: "4g"
	CPUs         string
	ShmSize      string
	Labels       []mcpconf.Var
	AddHosts     []string
	DNS          []string
	Init         *bool
	SecurityOpt  []string
	Devices      []string
	GPUs         string
	Ulimits      []string
	Tmpfs        []string
	ReadOnly     bool
	Platform     string
	Hardened     bool
	ProtectHooks bool // default true: .git/hooks is read-only inside
}

// Origin says where a value came from: a place in a file, a flag, the
// environment, or a default.
type Origin struct {
	Layer string // "global", "local", "flag", "default", or the profile extended
	Pos   mcpconf.Pos
	Flag  string
}
