package schema

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
)

// Reference is the reference of profiles and settings in Markdown.
func Reference() []byte {
	var b bytes.Buffer
	b.WriteString("# Reference of profiles\n\n[profiles.md](profiles.md) explains; this page is complete. ")
	b.WriteString("Made from the schema; `heretic schema` prints the same as JSON Schema.\n\n")
	b.WriteString("A profile is one YAML document. An unknown key, a duplicate key, a wrong type or a second document is an error.\n")
	b.WriteString("Between layers (a profile that is extended, the global profile, the project's override, the command line) the later wins, by the rule of each key.\n\n")
	b.WriteString("What a project's override may do without your approval: values that are free apply at once, unless they take a variable of the host; everything else asks. ")
	b.WriteString("`extends` is free for the override's own name. `volumes` are free for parts of the project that are mounted inside of the workspace, but for `.git`, `.heretic` and a second mount of the project. ")
	b.WriteString("`mcp` and a file of the project that `mcp_file` names are free for servers without variables of the host; Claude Code asks about them before it runs them, other agents run what they are given.\n\n")
	t := Profile()
	t.section(&b, "")
	for _, k := range t {
		if k.Type == Object {
			fmt.Fprintf(&b, "## `%s`\n\n%s\n\n", k.Path, k.Doc)
			t.section(&b, k.Path)
		}
	}
	b.WriteString("## Examples\n")
	for _, k := range t {
		if k.Example != "" {
			fmt.Fprintf(&b, "\n```yaml\n%s\n```\n", k.Example)
		}
	}
	b.WriteString("\n# Reference of settings.yaml\n\n")
	s := Settings()
	s.section(&b, "")
	s.section(&b, "github")
	return append(bytes.TrimRight(b.Bytes(), "\n"), '\n')
}

// section is the table of the keys below a path.
func (t Table) section(b *bytes.Buffer, path string) {
	b.WriteString("| key | type | between layers | default | a project's override | meaning |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, k := range t.Below(path) {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s | %s |\n", k.Path, k.kind(), cmp.Or(k.Rule, Replace), code(k.Default), k.Reach, strings.ReplaceAll(k.Doc, "|", `\|`))
	}
	b.WriteString("\n")
}

// kind is the type, or the values it may have.
func (k Key) kind() string {
	if k.Values == nil {
		return string(k.Type)
	}
	words := make([]string, len(k.Values))
	for i, v := range k.Values {
		words[i] = code(v)
	}
	return strings.Join(words, ", ")
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

// String says for people what an override may do with the key.
func (r Reach) String() string {
	return [...]string{
		Asks: "asks", Free: "free", Downwards: "free downwards", FreeTrue: "`true` is free", FreeFalse: "`false` is free", Own: "see above",
	}[r]
}
