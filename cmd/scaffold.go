package cmd

import (
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"

	"heretic/cmd/internal/files"
	"heretic/mcpconf/target"
	"heretic/profile/schema"
	"heretic/profile/yamledit"
)

// schemaFile is the JSON Schema of profiles, below HERETIC_HOME, for editors.
const schemaFile = "profile.schema.json"

// scaffold is what a new profile begins with.
type scaffold struct {
	description, agentType, image string
	env                           [][2]string // NAME and value
	secrets                       [][2]string // NAME and source
	envFile                       string
}

// text is the profile: valid as it stands, with what one may want next as
// comments.
func (s scaffold) text() []byte {
	var b strings.Builder
	b.WriteString(yamledit.SchemaLine + "../" + schemaFile + "\n")
	b.WriteString("# How heretic runs this agent. All keys: heretic help profiles.\n")
	pair := func(indent, key, value string) {
		b.WriteString(indent + key + ": " + scalar(value) + "\n")
	}
	if s.description != "" {
		pair("", "description", s.description)
	}
	pair("", "agent_type", s.agentType)
	if s.image == "" {
		b.WriteString("# Without an image, the one that `heretic image build " + s.agentType + "` makes is used.\n# image: my-image:latest\n")
	} else {
		pair("", "image", s.image)
	}
	section := func(key string, pairs [][2]string, example string) {
		b.WriteString("\n")
		if len(pairs) == 0 {
			b.WriteString(example)
			return
		}
		b.WriteString(key + ":\n")
		for _, p := range pairs {
			pair("  ", p[0], p[1])
		}
	}
	section("secrets", s.secrets, "# secrets:\n#   GH_TOKEN: ~/bin/github-token.sh   # a script, $VARIABLE, or the value\n")
	section("env", s.env, "# env:\n#   GH_TOKEN: null                    # the host's value\n")
	if s.envFile != "" {
		b.WriteString("\n")
		pair("", "env_file", s.envFile)
	}
	b.WriteString("\n# MCP servers: import them with `heretic agents mcp`, or write them here.\n# mcp:\n#   - name: memory\n#     command: npx\n#     args: [-y, '@modelcontextprotocol/server-memory']\n")
	return []byte(b.String())
}

// scalar writes a string as YAML.
func scalar(s string) string {
	out, err := yaml.Marshal(s)
	if err != nil {
		return "''" // a string always marshals
	}
	return strings.TrimSuffix(string(out), "\n")
}

// localScaffold is a new override of a global profile.
func localScaffold(agent string) []byte {
	return append(yamledit.Override(agent), `
# What this project changes. All keys: heretic help profiles.
# env:
#   NODE_ENV: development
# mcp:                    # hides the servers of the global profile
#   - name: memory
#     command: npx
#     args: [-y, '@modelcontextprotocol/server-memory']
`...)
}

// writeSchema writes the JSON Schema that the scaffolds refer to.
func (a *App) writeSchema(home string) error {
	data, err := schema.JSONSchema()
	if err != nil {
		return err
	}
	return files.Write(filepath.Join(home, schemaFile), data, 0o644)
}

// guessType is the agent type that a name stands for.
func guessType(name string) string {
	for _, row := range target.All() {
		if name == row.Name || strings.TrimSuffix(row.Name, "-cli") == name {
			return row.Name
		}
	}
	return "claude"
}
