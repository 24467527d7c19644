package image

import "slices"

// Program is what an image installs for one agent type. A further agent is a
// further row of [Programs].
type Program struct {
	Agent   string // the agent type
	Package string // on npm; empty where nothing is to be installed
	Version string // exact
	Command string // what starts the agent
	// Scripts are the packages whose install scripts must run. No others do.
	Scripts []string
	// Env is set in the image.
	Env []string
	// Warm is run once as the image's user, for what the program would
	// otherwise unpack in each container.
	Warm string
	// Missing tells why there is no image for this agent, and Instead what to
	// do about it.
	Missing, Instead string
}

// Programs are the agents that an image can have, in the order in which they
// are installed.
func Programs() []Program {
	return []Program{
		{Agent: "claude", Package: "@anthropic-ai/claude-code", Version: "2.1.332", Command: "claude",
			Scripts: []string{"@anthropic-ai/claude-code"}, Env: []string{"DISABLE_AUTOUPDATER=1"}},
		{Agent: "copilot-cli", Package: "@github/copilot", Version: "1.0.102", Command: "copilot",
			Env: []string{"COPILOT_AUTO_UPDATE=false"}, Warm: "copilot --version"},
		{Agent: "codex", Package: "@openai/codex", Version: "0.171.0", Command: "codex"},
		{Agent: "gemini", Package: "@google/gemini-cli", Version: "0.61.0", Command: "gemini"},
		{Agent: "qwen", Package: "@qwen-code/qwen-code", Version: "0.24.4", Command: "qwen"},
		{Agent: "opencode", Package: "opencode-ai", Version: "1.18.33", Command: "opencode",
			Scripts: []string{"opencode-ai"}, Env: []string{"OPENCODE_DISABLE_AUTOUPDATE=1"}},
		{Agent: "amp", Package: "@sourcegraph/amp", Version: "0.0.1790142911-g7618fb", Command: "amp",
			Scripts: []string{"@ampcode/cli"}, Env: []string{"AMP_SKIP_UPDATE_CHECK=1"}},
		{Agent: "cline", Package: "cline", Version: "3.0.65", Command: "cline", Env: []string{"CLINE_NO_AUTO_UPDATE=1"}},
		{Agent: "acpx", Package: "acpx", Version: "0.19.1", Command: "acpx"},
		{Agent: "generic", Command: "bash"},
		{Agent: "aider", Command: "aider", Missing: "aider is not on npm",
			Instead: "give the profile an image that has aider: https://aider.chat/docs/install/docker.html"},
	}
}

func lookup(agent string) (Program, bool) {
	all := Programs()
	i := slices.IndexFunc(all, func(p Program) bool { return p.Agent == agent })
	if i < 0 {
		return Program{}, false
	}
	return all[i], true
}

// Agents are the agent types that an image can be built for.
func Agents() []string {
	var names []string
	for _, p := range Programs() {
		if p.Missing == "" {
			names = append(names, p.Agent)
		}
	}
	return names
}

// tool is a command that every image has, and its Debian package.
type tool struct{ command, pkg string }

func tools() []tool {
	return []tool{
		{"git", "git"}, {"rg", "ripgrep"}, {"curl", "curl"}, {"jq", "jq"}, {"less", "less"},
		{"ps", "procps"}, {"ssh", "openssh-client"}, {"patch", "patch"}, {"unzip", "unzip"}, {"xz", "xz-utils"},
		{"make", "make"}, {"python3", "python3"}, {"tini", "tini"}, {"useradd", "passwd"},
	}
}
