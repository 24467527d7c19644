package mcpconf

import (
	"bytes"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"heretic/mcpconf/internal/doc"
)

// maxCommandLines bounds, in bytes, what is taken for command lines.
const maxCommandLines = 64 << 10

// commandLines reads what tutorials tell people to type: `claude mcp add`,
// `claude mcp add-json`, `code --add-mcp`, or the server's own command. ok is
// false when the text is nothing of the kind.
func (r *reader) commandLines(text []byte) (root *yaml.Node, ok bool, err error) {
	if len(text) > maxCommandLines {
		return nil, false, nil
	}
	root = doc.Map()
	root.Line, root.Column = 1, 1
	for i, line := range logicalLines(text) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "$ ")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		c := &commandLine{reader: r, line: i + 1}
		words, err := split(line)
		if err != nil || len(words) == 0 {
			return nil, false, nil
		}
		name, entry, err := c.server(words)
		if err != nil || entry == nil {
			return nil, false, err
		}
		r.notef(name, "", Pos{File: r.file, Line: i + 1})("read from a command line")
		key := c.str(name)
		root.Content = append(root.Content, key, entry)
	}
	if len(root.Content) == 0 {
		return nil, false, nil
	}
	r.dialect = dialect{name: "command line", dollar: true}
	return doc.Wrap("mcpServers", root), true, nil
}

// logicalLines joins lines that end in a backslash; a joined line leaves
// empty ones behind, so that the numbers stay right.
func logicalLines(text []byte) []string {
	var lines []string
	var joined strings.Builder
	more := 0 // lines that joined stands for, but for the last
	for line := range bytes.Lines(text) {
		body, cont := strings.CutSuffix(strings.TrimRight(string(line), "\r\n"), `\`)
		joined.WriteString(body)
		if cont {
			joined.WriteByte(' ')
			more++
			continue
		}
		lines = append(append(lines, joined.String()), make([]string, more)...)
		joined.Reset()
		more = 0
	}
	return append(lines, joined.String())
}

// commandLine reads one line.
type commandLine struct {
	*reader
	line int
}

func (c *commandLine) str(s string) *yaml.Node {
	n := doc.Str(s)
	n.Line, n.Column = c.line, 1
	return n
}

func (c *commandLine) list(words []string) *yaml.Node {
	n := doc.List()
	n.Line, n.Column = c.line, 1
	for _, w := range words {
		n.Content = append(n.Content, c.str(w))
	}
	return n
}

// server makes an entry of a line; it is nil for any other command.
func (c *commandLine) server(words []string) (string, *yaml.Node, error) {
	switch {
	case len(words) > 3 && words[1] == "mcp" && words[2] == "add":
		name, entry := c.add(words[3:])
		return name, entry, nil
	case len(words) > 3 && words[1] == "mcp" && words[2] == "add-json":
		return c.addJSON(words[3:])
	case len(words) == 3 && words[1] == "--add-mcp":
		return c.addJSON(words[2:])
	}
	switch words[0] {
	case "npx", "bunx", "uvx", "pnpx", "docker":
		entry := c.mapping()
		doc.Set(entry, "command", c.str(words[0]))
		doc.Set(entry, "args", c.list(words[1:]))
		return packageName(words), entry, nil
	}
	return "", nil, nil
}

func (c *commandLine) mapping() *yaml.Node {
	n := doc.Map()
	n.Line, n.Column = c.line, 1
	return n
}

// add reads the arguments of `mcp add`: options, a name, and a URL or a
// command with arguments.
func (c *commandLine) add(words []string) (string, *yaml.Node) {
	var free []string
	env, headers := c.list(nil), c.mapping()
	transport := ""
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		if word == "--" {
			free = append(free, words...)
			break
		}
		if len(free) >= 2 && !isURL(free[1]) || !strings.HasPrefix(word, "-") {
			free = append(free, word)
			continue
		}
		option, val, has := strings.Cut(word, "=")
		if !has && len(words) > 0 {
			val, words = words[0], words[1:]
		}
		switch option {
		case "-t", "--transport", "--type":
			transport = val
		case "-e", "--env":
			env.Content = append(env.Content, c.str(val))
			for len(words) > 0 && isAssignment(words[0]) {
				env.Content = append(env.Content, c.str(words[0]))
				words = words[1:]
			}
		case "-H", "--header":
			k, v, _ := strings.Cut(val, ":")
			doc.Set(headers, strings.TrimSpace(k), c.str(strings.TrimSpace(v)))
		case "--url":
			free = append(free, val)
		}
	}
	if len(free) < 2 {
		return "", nil
	}
	entry := c.mapping()
	if transport != "" {
		doc.Set(entry, "type", c.str(transport))
	}
	if isURL(free[1]) && transport != "stdio" {
		doc.Set(entry, "url", c.str(free[1]))
		doc.Set(entry, "headers", headers)
	} else {
		doc.Set(entry, "command", c.str(free[1]))
		doc.Set(entry, "args", c.list(free[2:]))
	}
	doc.Set(entry, "env", env)
	return free[0], entry
}

// addJSON reads a name and one server as JSON; without a name it is in there.
func (c *commandLine) addJSON(words []string) (string, *yaml.Node, error) {
	i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(strings.TrimSpace(w), "{") })
	if i < 0 {
		return "", nil, nil
	}
	entry, err := doc.JSON([]byte(words[i]))
	if err != nil {
		return "", nil, c.syntaxError(jsonSyntax, err)
	}
	place(entry, c.line)
	name := value(entry, "name")
	switch {
	case i > 0:
		return words[i-1], entry, nil
	case name != nil && isText(name):
		return name.Value, entry, nil
	}
	return "", nil, nil
}

// place moves a tree to one line.
func place(n *yaml.Node, line int) {
	n.Line, n.Column = line, 1
	for _, c := range n.Content {
		place(c, line)
	}
}

func isURL(s string) bool {
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
}

// isAssignment tells the further values of an option that takes several.
func isAssignment(s string) bool {
	name, _, ok := strings.Cut(s, "=")
	return ok && name != "" && !strings.ContainsAny(name, "-/:@. ")
}

// packageName makes a name from the package that a line runs:
// @scope/server-memory@1.0 is memory.
func packageName(words []string) string {
	for i := len(words) - 1; i > 0; i-- {
		if strings.HasPrefix(words[i], "@") || i == firstFree(words) {
			words = words[i:]
			break
		}
	}
	name := words[0]
	name = name[strings.LastIndexByte(name, '/')+1:]
	name, _, _ = strings.Cut(name, "@")
	name, _, _ = strings.Cut(name, ":")
	for _, affix := range []string{"mcp-server-", "server-", "mcp-"} {
		if short := strings.TrimPrefix(name, affix); short != "" {
			name = short
		}
	}
	for _, affix := range []string{"-mcp-server", "-server", "-mcp"} {
		if short := strings.TrimSuffix(name, affix); short != "" {
			name = short
		}
	}
	return name
}

// firstFree is the index of the first word that is no option.
func firstFree(words []string) int {
	for i, w := range words[1:] {
		if !strings.HasPrefix(w, "-") && w != "run" && w != "dlx" {
			return i + 1
		}
	}
	return 0
}
