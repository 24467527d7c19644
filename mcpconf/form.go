package mcpconf

import (
	"slices"
	"strings"
	"time"
)

// Form names what [Render] writes: one agent's own shape of MCP configuration.
type Form string

// The forms of the targets. [Forms] has further ones, for conversion only.
const (
	Claude   Form = "claude"
	Copilot  Form = "copilot-cli"
	Codex    Form = "codex"
	Gemini   Form = "gemini"
	Qwen     Form = "qwen"
	Opencode Form = "opencode"
	Amp      Form = "amp"
	Cline    Form = "cline"
	Acpx     Form = "acpx"
	Heretic  Form = "heretic" // the `mcp` of a profile
)

// formRow is one form, as far as it differs from the others.
type formRow struct {
	form  Form
	syn   syntax
	key   string // of the servers in the file
	list  bool   // the servers are a list
	named bool   // an entry has its name in it, as in a list it must
	// strict tells that the agent reads nothing but plain JSON.
	strict bool

	// words are the form's names for the transports; an empty one leaves
	// `type` out. What has no word cannot be written: ws is refused, another
	// transport is left out with a note.
	words map[Transport]string
	// urls are the keys of the url where it is not "url".
	urls map[Transport]string
	// command, env and headers are keys where they are not those names.
	command, env, headers string
	argv                  bool // the command is a list that holds the arguments
	splits                bool // a command with spaces is a command line, unless it is a list
	pairs                 bool // env and headers are lists of {name, value}
	full                  bool // args, env and headers are there when empty too
	remoteEnv             bool // env of a remote server is written
	cwd                   bool
	fixed                 []Var // members that every entry has

	tools, exclude string   // keys of the lists of tools; empty: not expressible
	allTools       []string // what stands for no limit
	noneIsAll      bool     // an empty list of tools does not mean none

	timeout, startup string        // keys; empty: not expressible
	unit             time.Duration // of both
	fraction         bool          // parts of a unit can be written

	refs     refSyntax
	reserved []string // names that the agent keeps for itself
	// plainNames tells that the agent never starts a server whose name has a
	// space or is not ASCII.
	plainNames bool
}

func formRows() []formRow {
	type words = map[Transport]string
	const ms, s = time.Millisecond, time.Second
	plain := words{Stdio: "", HTTP: "", SSE: ""}

	// Claude Code, Copilot CLI and Gemini CLI expand in one pass, and an
	// unset variable takes its default (measured): a literal dollar sign is
	// the default of a variable that nobody sets.
	const dollar = "${" + DollarVar + ":-$}"
	shell := refSyntax{open: "${", close: "}", defaults: true, dollar: dollar, workspace: "${PWD}", home: "${HOME}"}
	bare, gemini := shell, shell
	bare.bare = true
	gemini.bare, gemini.twice = true, true
	// Those without defaults get the variable from the target's environment.
	noDefaults := refSyntax{open: "${", close: "}", dollar: "${" + DollarVar + "}", workspace: "${PWD}", home: "${HOME}"}
	qwen := noDefaults
	qwen.bare = true
	env := refSyntax{open: "${env:", close: "}", tokens: []string{"${"}}
	editor := refSyntax{open: "${env:", close: "}", tokens: []string{"${"}, workspace: "${workspaceFolder}", home: "${userHome}"}
	return []formRow{
		{
			form: Claude, syn: jsonSyntax, key: "mcpServers", remoteEnv: true,
			words: words{Stdio: "", HTTP: "http", SSE: "sse", WS: "ws"},
			refs:  shell, reserved: []string{"workspace", "computer-use"},
		},
		{
			form: Copilot, syn: jsonSyntax, key: "mcpServers", remoteEnv: true, cwd: true,
			words: words{Stdio: "stdio", HTTP: "http", SSE: "sse"},
			tools: "tools", allTools: []string{"*"}, timeout: "timeout", unit: ms,
			refs: bare,
		},
		{
			form: Codex, syn: tomlSyntax, key: "mcp_servers", headers: "http_headers", cwd: true,
			words: words{Stdio: "", HTTP: ""},
			tools: "enabled_tools", exclude: "disabled_tools",
			timeout: "tool_timeout_sec", startup: "startup_timeout_sec", unit: s, fraction: true,
			refs: refSyntax{whole: true}, plainNames: true,
		},
		{
			form: Gemini, syn: jsonSyntax, key: "mcpServers", cwd: true,
			words: words{Stdio: "", HTTP: "", SSE: "sse"}, urls: words{HTTP: "httpUrl"},
			tools: "includeTools", exclude: "excludeTools", timeout: "timeout", unit: ms,
			refs: gemini,
		},
		{
			form: Qwen, syn: jsonSyntax, key: "mcpServers", cwd: true,
			words: plain, urls: words{HTTP: "httpUrl"},
			tools: "includeTools", exclude: "excludeTools", timeout: "timeout", unit: ms,
			refs: qwen,
		},
		{
			form: Opencode, syn: jsonSyntax, key: "mcp", argv: true, env: "environment",
			words:   words{Stdio: "local", HTTP: "remote", SSE: "remote"},
			timeout: "timeout", unit: ms,
			refs: refSyntax{open: "{env:", close: "}", textual: true, tokens: []string{"{env:", "{file:"}, workspace: "{env:PWD}", home: "{env:HOME}"},
		},
		{form: Amp, syn: jsonSyntax, key: "amp.mcpServers", words: plain, refs: noDefaults},
		{
			form: Cline, syn: jsonSyntax, key: "mcpServers", strict: true,
			words:   words{Stdio: "stdio", HTTP: "streamableHttp", SSE: "sse"},
			timeout: "timeout", unit: s,
		},
		{
			form: Acpx, syn: jsonSyntax, key: "mcpServers", list: true, strict: true, pairs: true, full: true,
			words: words{Stdio: "stdio", HTTP: "http", SSE: "sse"},
		},
		{
			form: "vscode", syn: jsonSyntax, key: "servers", cwd: true,
			words: words{Stdio: "stdio", HTTP: "http", SSE: "sse"},
			refs:  editor,
		},
		{form: "cursor", syn: jsonSyntax, key: "mcpServers", words: plain, refs: editor},
		{
			form: "windsurf", syn: jsonSyntax, key: "mcpServers",
			words: plain, urls: words{HTTP: "serverUrl", SSE: "serverUrl"}, refs: env,
		},
		{
			form: "roo", syn: jsonSyntax, key: "mcpServers", cwd: true,
			words:   words{Stdio: "stdio", HTTP: "streamable-http", SSE: "sse"},
			exclude: "disabledTools", timeout: "timeout", unit: s, refs: editor,
		},
		{form: "kiro", syn: jsonSyntax, key: "mcpServers", words: plain, exclude: "disabledTools", timeout: "timeout", unit: ms, refs: refSyntax{open: "${", close: "}", tokens: []string{"${"}}},
		{form: "zed", syn: jsonSyntax, key: "context_servers", words: plain, fixed: []Var{{"source", "custom"}}},
		{
			form: "crush", syn: jsonSyntax, key: "mcp",
			words: words{Stdio: "stdio", HTTP: "http", SSE: "sse"},
			tools: "enabled_tools", exclude: "disabled_tools", timeout: "timeout", unit: s, refs: refSyntax{open: "${", close: "}", defaults: true, tokens: []string{"$", "`"}},
		},
		{
			form: "goose", syn: yamlSyntax, key: "extensions", named: true, command: "cmd", env: "envs",
			words: words{Stdio: "stdio", HTTP: "streamable_http"}, urls: words{HTTP: "uri"},
			fixed: []Var{{"enabled", "true"}},
			tools: "available_tools", noneIsAll: true, timeout: "timeout", unit: s,
		},
		{
			form: "continue", syn: yamlSyntax, key: "mcpServers", list: true, cwd: true, headers: "requestOptions.headers",
			words: words{Stdio: "stdio", HTTP: "streamable-http", SSE: "sse"},
			refs:  refSyntax{open: "${{ secrets.", close: " }}", tokens: []string{"${{"}},
		},
		{
			form: Heretic, syn: yamlSyntax, key: "mcp", list: true, splits: true, cwd: true, remoteEnv: true,
			words: words{Stdio: "", HTTP: "http", SSE: "sse", WS: "ws"},
			tools: "tools", exclude: "excludeTools", timeout: "timeout", startup: "startup_timeout_sec", unit: s, fraction: true,
			refs: refSyntax{open: "${", close: "}", operators: true, dollar: "$$"},
		},
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

func rowOf(form Form) (formRow, error) {
	rows := formRows()
	i := slices.IndexFunc(rows, func(r formRow) bool { return r.form == form })
	if i >= 0 {
		return rows[i], nil
	}
	var names []string
	for _, r := range rows {
		names = append(names, string(r.form))
	}
	return formRow{}, &FormatError{
		text: "unknown form '" + printable(string(form)) + "'",
		hint: "known forms: " + strings.Join(names, ", "),
	}
}
