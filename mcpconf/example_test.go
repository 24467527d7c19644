package mcpconf_test

import (
	"fmt"
	"strings"

	"heretic/mcpconf"
	"heretic/mcpconf/target"
)

// Read a VS Code file, comments and all, and see what was translated.
func ExampleParse() {
	data := []byte(`{
  // the team's servers
  "servers": {
    "docs": {"url": "https://docs.example/mcp", "headers": {"Authorization": "Bearer ${env:DOCS_TOKEN}"}},
  },
}`)
	set, err := mcpconf.Parse(mcpconf.Source{Name: ".vscode/mcp.json"}, data)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range set.Servers {
		fmt.Println(s.Name, s.Type, s.URL, s.Headers)
	}
	for _, n := range set.Notes {
		fmt.Printf("%s: %s: %s: %s\n", n.Pos, n.Server, n.Field, n.Text)
	}
	// Output:
	// docs http https://docs.example/mcp [{Authorization Bearer ${DOCS_TOKEN}}]
	// .vscode/mcp.json:4:78: docs: headers.Authorization: ${env:DOCS_TOKEN} is read as ${DOCS_TOKEN}
}

// Write the servers as one kind of agent reads them.
func ExampleRender() {
	row, ok := target.Lookup("codex")
	if !ok {
		return
	}
	out, err := mcpconf.Render(row.Form, []mcpconf.Server{
		{Name: "fs", Type: mcpconf.Stdio, Command: "npx", Args: []string{"-y", "fs"}},
		{Name: "old", Type: mcpconf.SSE, URL: "https://old.example/sse"},
	}, mcpconf.RenderOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(out.Data))
	for _, n := range out.Notes {
		fmt.Printf("%s: %s\n", n.Server, n.Text)
	}
	// Output:
	// [mcp_servers.fs]
	// command = "npx"
	// args = ["-y", "fs"]
	// old: codex has no sse transport, the server is left out
}

// Lay a project's servers over the user's.
func ExampleMerge() {
	base := []mcpconf.Server{{Name: "a", Command: "x"}, {Name: "b", Command: "y"}}
	over := []mcpconf.Server{{Name: "a", Command: "z"}, {Name: "c", Command: "w"}}
	merged := mcpconf.Merge(base, over)
	for _, s := range merged {
		fmt.Println(s.Name, s.Command)
	}
	fmt.Printf("%+v\n", mcpconf.Diff(base, merged))
	// Output:
	// a z
	// b y
	// c w
	// {Added:[c] Replaced:[a] Kept:[b] Removed:[]}
}

// Resolve the variables of a server.
func ExampleServer_Map() {
	s := mcpconf.Server{Name: "a", Command: "npx", Args: []string{"${PKG}"}}
	s, err := s.Map(func(path, value string, pos mcpconf.Pos) (string, error) {
		return strings.ReplaceAll(value, "${PKG}", "server-memory"), nil
	})
	fmt.Println(s.Args, err)
	// Output: [server-memory] <nil>
}
