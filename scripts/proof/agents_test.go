//go:build unix

package proof

import (
	"fmt"
	"strings"
)

// agent is how one program is put to the proof. What it is told beside its
// servers is where the model is, and that it may use tools: the user's choices.
type agent struct {
	name string // the agent type
	env  map[string]string
	// list prints the servers, without a model.
	list string
	// connected is what list prints of a server that answers; empty where it
	// does not look.
	connected string
	// ask runs the agent on one prompt, tui shows the terminal interface with
	// one; empty where there is none that goes offline.
	ask, tui string
	// limit tells why the model is not reached.
	limit string
}

// address is where the stand-in listens.
const address = "http://127.0.0.1:8089"

// codexModel is where codex finds its model, on the command line.
const codexModel = `-c model=standin -c model_provider=standin -c model_providers.standin.name=standin ` +
	`-c model_providers.standin.base_url=` + address + `/v1 -c model_providers.standin.wire_api=responses`

// opencodeModel is the same for opencode, in its environment.
const opencodeModel = `{"model":"standin/standin","provider":{"standin":{"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"` +
	address + `/v1"},"models":{"standin":{}}}}}`

func agents() []agent {
	return []agent{
		{
			name: "claude",
			env: map[string]string{
				"ANTHROPIC_API_KEY": "standin", "ANTHROPIC_BASE_URL": address,
				"ENABLE_TOOL_SEARCH": "false", "MCP_CONNECTION_NONBLOCKING": "false",
			},
			list: "claude mcp list", connected: "Connected",
			ask: "claude -p hi --allowedTools mcp__memory mcp__everything",
			tui: "claude hi --allowedTools mcp__memory mcp__everything",
		},
		{
			name: "copilot-cli",
			env: map[string]string{
				"COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": address + "/v1", "COPILOT_MODEL": "standin",
			},
			list: "copilot mcp list",
			ask:  "copilot -p hi --allow-all-tools",
			tui:  "copilot -i hi --allow-all-tools",
		},
		{
			name: "codex",
			list: "codex mcp list",
			ask:  "codex exec --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox " + codexModel + " hi",
			tui:  "codex --dangerously-bypass-approvals-and-sandbox " + codexModel + " hi",
		},
		{
			name: "gemini",
			env:  map[string]string{"GEMINI_API_KEY": "standin", "GOOGLE_GEMINI_BASE_URL": address},
			list: "gemini mcp list", connected: "Connected",
			ask: "gemini -m gemini-2.5-flash -y -p hi",
			tui: "gemini -m gemini-2.5-flash -y -i hi",
		},
		{
			name: "qwen",
			env:  map[string]string{"OPENAI_API_KEY": "standin", "OPENAI_BASE_URL": address + "/v1", "OPENAI_MODEL": "standin"},
			list: "qwen mcp list", connected: "Connected",
			ask: qwenTools + "qwen --yolo -p hi",
			tui: qwenTools + "qwen --yolo -i hi",
		},
		{
			name: "opencode",
			env:  map[string]string{"OPENCODE_CONFIG_CONTENT": opencodeModel},
			list: "opencode mcp list", connected: "connected",
			ask: "opencode run hi",
			tui: "opencode --prompt hi",
		},
		{
			name: "cline",
			list: "cat ~/.cline/data/settings/cline_mcp_settings.json",
			ask:  clineLogin + "cline 'say hi'",
			tui:  clineLogin + "cline --tui 'say hi'",
		},
		{
			name: "acpx",
			env:  map[string]string{"OPENCODE_CONFIG_CONTENT": opencodeModel},
			list: "cat .acpxrc.json",
			ask:  "acpx --approve-all --agent 'opencode acp' exec hi",
		},
		{
			name: "amp",
			env:  map[string]string{"AMP_API_KEY": "standin"},
			list: "amp mcp doctor", connected: "connected",
			limit: "Amp talks to its own service only",
		},
	}
}

// qwenTools has qwen offer all tools at once: by itself it has the model search
// for them, which the stand-in cannot.
const qwenTools = `echo '{"tools":{"toolSearch":{"enabled":false}}}' >~/system.json && QWEN_CODE_SYSTEM_SETTINGS_PATH=~/system.json `

// clineLogin tells cline where its model is, before it starts.
const clineLogin = "cline auth -p openai-compatible -k standin -m standin -b " + address + "/v1 >/dev/null && "

// source is one way to give an agent its servers. All of them mean the same.
type source struct {
	name    string
	files   map[string]string // in the project
	own     map[string]string // in the user's home
	profile string            // lines of the profile
	// trust: the servers come with the project, and the user approves them.
	trust bool
}

func (s source) flags() []string {
	if s.trust {
		return []string{"--trust"}
	}
	return nil
}

func sources() []source {
	return []source{
		{
			name: "VS Code file",
			files: map[string]string{".vscode/mcp.json": `{
  // what the team's editor reads
  "inputs": [{"type": "promptString", "id": "proof-note", "description": "any text"}],
  "servers": {
    "memory": {
      "type": "stdio",
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-memory"],
      "env": {"NOTE": "${input:proof-note}", "MEMORY_FILE_PATH": "/tmp/memory.json"},
    },
    /* a second one */
    "everything": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-everything", "stdio"]},
  },
}
`},
			profile: "mcp_file: ${CWD}/.vscode/mcp.json\n",
			trust:   true,
		},
		{
			name: "Claude file",
			own: map[string]string{"servers.json": `{
  "mcpServers": {
    "memory": {"command": "mcp-server-memory", "env": {"MEMORY_FILE_PATH": "/tmp/memory.json"}},
    "everything": {"type": "stdio", "command": "mcp-server-everything", "args": ["stdio"]}
  }
}
`},
			profile: "mcp_file: ${HOME}/servers.json\n",
		},
		{
			name: "inline YAML",
			profile: `mcp:
  - name: memory
    command: mcp-server-memory
    env: {MEMORY_FILE_PATH: /tmp/memory.json}
  - name: everything
    command: mcp-server-everything
    args: [stdio]
  - name: off
    command: /does/not/exist
    disabled: true
`,
		},
	}
}

// profileOf is a global profile for the agent. The command's first word is a
// shell: some agents need one.
func (a agent) profileOf(imageRef, command, rest string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "image: %s\nagent_type: %s\ncommand: [sh, -c, %q]\n", imageRef, a.name, command)
	b.WriteString("extra: {network: none}\n")
	if len(a.env) > 0 {
		b.WriteString("env:\n")
		for k, v := range a.env {
			fmt.Fprintf(&b, "  %s: %q\n", k, v)
		}
	}
	return b.String() + rest
}
