package mcpconf

import (
	"path"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// dialect is one client's way to write servers, as far as it differs from the
// others. Names of fields and words for transports need no row: every spelling
// is read in every dialect.
type dialect struct {
	name  string
	syn   syntax
	files []string   // ends of paths that mean this dialect
	keys  [][]string // where the servers are; the first row with a key owns it
	// owns tells whether the value at a key is a container of servers, where
	// the key alone does not say so.
	owns func(*yaml.Node) bool
	// unit is that of a plain `timeout`.
	unit time.Duration
	// bareURL is the transport of a url without a type; empty is HTTP.
	bareURL Transport
	// dollar tells that $NAME is a variable.
	dollar bool
	// backslash tells that it escapes a dollar sign in env and headers.
	backslash bool
	// dynamic begin what the client replaces by something that is no variable:
	// a file, the output of a command.
	dynamic []string
	// skip are words of `type` for what is not an MCP server.
	skip []string
}

type syntax string

const (
	jsonSyntax syntax = "JSON"
	tomlSyntax syntax = "TOML"
	yamlSyntax syntax = "YAML"
)

// dialects are the rows. A key that several rows have belongs to the first,
// unless the file's name or the caller says otherwise.
func dialects() []dialect {
	key := func(path ...string) [][]string { return [][]string{path} }
	mcpServers := key("mcpServers")
	ms, s := time.Millisecond, time.Second
	return []dialect{
		{name: "claude", syn: jsonSyntax, keys: mcpServers, files: []string{".mcp.json", ".claude.json", "claude_desktop_config.json"}},
		{name: "vscode", syn: jsonSyntax, keys: [][]string{{"servers"}, {"mcp", "servers"}, {"customizations", "vscode", "mcp", "servers"}}},
		{name: "copilot-cli", syn: jsonSyntax, keys: mcpServers, unit: ms, dollar: true, files: []string{".copilot/mcp-config.json"}},
		{name: "codex", syn: tomlSyntax, keys: key("mcp_servers"), unit: s, files: []string{".codex/config.toml"}},
		{name: "gemini", syn: jsonSyntax, keys: mcpServers, unit: ms, dollar: true, backslash: true, files: []string{".gemini/settings.json"}},
		{name: "qwen", syn: jsonSyntax, keys: mcpServers, unit: ms, dollar: true, bareURL: SSE, files: []string{".qwen/settings.json"}},
		{name: "opencode", syn: jsonSyntax, keys: key("mcp"), owns: hasMapping, unit: ms, files: []string{"opencode.json", "opencode.jsonc"}, dynamic: []string{"{file:"}},
		{name: "crush", syn: jsonSyntax, keys: key("mcp"), owns: hasMapping, unit: s, dollar: true, files: []string{"crush.json", ".crush.json"}, dynamic: []string{"$("}},
		{name: "amp", syn: jsonSyntax, keys: key("amp.mcpServers")},
		{name: "zed", syn: jsonSyntax, keys: key("context_servers")},
		{name: "cline", syn: jsonSyntax, keys: mcpServers, unit: s, bareURL: SSE, files: []string{"cline_mcp_settings.json"}},
		{name: "roo", syn: jsonSyntax, keys: mcpServers, unit: s, files: []string{".roo/mcp.json", "mcp_settings.json"}},
		{name: "kiro", syn: jsonSyntax, keys: mcpServers, unit: ms, files: []string{".kiro/settings/mcp.json"}},
		{name: "cursor", syn: jsonSyntax, keys: mcpServers, files: []string{".cursor/mcp.json"}},
		{name: "windsurf", syn: jsonSyntax, keys: mcpServers, files: []string{"windsurf/mcp_config.json"}},
		{name: "acpx", syn: jsonSyntax, keys: mcpServers, files: []string{".acpxrc.json"}},
		{name: "goose", syn: yamlSyntax, keys: key("extensions"), owns: hasExtension, unit: s, files: []string{"goose/config.yaml"}, skip: []string{"builtin", "platform", "frontend", "inline_python"}},
		{name: "continue", syn: yamlSyntax, keys: mcpServers, files: []string{".continue/config.yaml"}},
		{name: "heretic", syn: yamlSyntax, keys: key("mcp"), unit: s},
	}
}

// Formats are the names that [Source].Format may have.
func Formats() []string {
	var names []string
	for _, d := range dialects() {
		names = append(names, d.name)
	}
	slices.Sort(names)
	return names
}

func dialectNamed(name string) (dialect, bool) {
	for _, d := range dialects() {
		if d.name == name {
			return d, true
		}
	}
	return dialect{}, false
}

// dialectOfFile is the row that the name of a file means.
func dialectOfFile(file string) (dialect, bool) {
	file = path.Clean(strings.ReplaceAll(file, `\`, "/"))
	for _, d := range dialects() {
		for _, end := range d.files {
			if file == end || strings.HasSuffix(file, "/"+end) {
				return d, true
			}
		}
	}
	return dialect{}, false
}

// dialectOfKey is the row that a key means: the first of the file's syntax,
// else the first. Where rows that share the key and the syntax disagree about
// the unit of a timeout, the unit is unknown.
func dialectOfKey(key []string, syn syntax) dialect {
	var found dialect
	for _, d := range dialects() {
		if !d.has(key) {
			continue
		}
		switch {
		case found.name == "" || d.syn == syn && found.syn != syn:
			found = d
		case d.syn == found.syn && d.unit != found.unit:
			found.unit = 0
		}
	}
	return found
}

func (d dialect) has(key []string) bool {
	return slices.ContainsFunc(d.keys, func(k []string) bool { return slices.Equal(k, key) })
}

// containerKeys are all places where servers may be, the longest first.
func containerKeys() [][]string {
	var keys [][]string
	for _, d := range dialects() {
		for _, k := range d.keys {
			if !slices.ContainsFunc(keys, func(have []string) bool { return slices.Equal(have, k) }) {
				keys = append(keys, k)
			}
		}
	}
	slices.SortStableFunc(keys, func(a, b []string) int { return len(b) - len(a) })
	return keys
}

// hasMapping keeps settings that share a key with a client apart: Gemini's
// `mcp` holds lists of names.
func hasMapping(n *yaml.Node) bool {
	return len(n.Content) == 0 || slices.ContainsFunc(n.Content, func(v *yaml.Node) bool {
		return v.Kind == yaml.MappingNode || isHTTP(v)
	})
}

func hasExtension(n *yaml.Node) bool {
	for _, v := range pairs(n) {
		if value(v, "cmd") != nil || value(v, "uri") != nil || value(v, "type") != nil {
			return true
		}
	}
	return false
}
