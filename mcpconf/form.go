package mcpconf

// Form names what [Render] writes: one agent's own shape of MCP configuration.
type Form string

// The forms of the targets. [Forms] has further ones, for conversion only.
const (
	Claude  Form = "claude"
	Copilot Form = "copilot-cli"
)

// formRow is one form, as far as it differs from the others.
type formRow struct {
	form Form
	key  string // of the servers in the file
	// words are the form's names for the transports; one that is missing
	// cannot be written. An empty word leaves `type` out.
	words map[Transport]string
	// tools is the key of the allow list, allTools what stands for no limit.
	tools    string
	allTools []string
}

func formRows() []formRow {
	return []formRow{
		{form: Claude, key: "mcpServers", words: map[Transport]string{Stdio: "", HTTP: "http", SSE: "sse", WS: "ws"}},
		{form: Copilot, key: "mcpServers", words: map[Transport]string{Stdio: "stdio", HTTP: "http", SSE: "sse"}, tools: "tools", allTools: []string{"*"}},
	}
}

// Forms are all forms that [Render] can write.
func Forms() []Form {
	var forms []Form
	for _, r := range formRows() {
		forms = append(forms, r.form)
	}
	return forms
}
