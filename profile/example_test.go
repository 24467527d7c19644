package profile_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"heretic/profile"
	"heretic/profile/schema"
)

// A profile is read and merged without side effects, then resolved.
func Example() {
	dir, err := os.MkdirTemp("", "heretic")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	agents := filepath.Join(dir, ".heretic", "agents")
	if err := os.MkdirAll(agents, 0o755); err != nil {
		log.Fatal(err)
	}
	text := `image: example/claude
env: {EDITOR: "${MY_EDITOR:-vi}"}
mcp:
  - {name: docs, url: "https://docs.example/mcp", headers: {Authorization: "Bearer ${DOCS_TOKEN}"}}
`
	if err := os.WriteFile(filepath.Join(agents, "claude.yaml"), []byte(text), 0o644); err != nil {
		log.Fatal(err)
	}

	loader := profile.Loader{HereticHome: filepath.Join(dir, ".heretic"), Home: dir, Project: dir}
	merged, err := loader.Merge("claude", profile.Options{Env: []string{"DEBUG=1"}})
	if err != nil {
		log.Fatal(err)
	}
	host := map[string]string{"DOCS_TOKEN": "t0p"}
	resolved, err := merged.Resolve(context.Background(), profile.Environment{
		Lookup: func(name string) (string, bool) { v, ok := host[name]; return v, ok },
	})
	if err != nil {
		log.Fatal(err)
	}
	p := resolved.Profile
	fmt.Println(p.Image, p.Workspace)
	for _, e := range p.Env {
		fmt.Println(e.Name, e.Value)
	}
	for _, s := range p.Servers {
		fmt.Println(s.Name, s.URL, s.Headers)
	}
	// Output:
	// example/claude /workspace
	// EDITOR vi
	// DEBUG 1
	// docs https://docs.example/mcp [{Authorization Bearer t0p}]
}

// All errors of a file come together, each with its place.
func ExampleLoader_Validate() {
	_, err := profile.Loader{}.Validate("claude.yaml", []byte("imge: x\ntty: often\n"), false)
	for _, e := range profile.Errors(err) {
		fmt.Println(e)
	}
	// Output:
	// claude.yaml:1:1: imge: unknown key; the nearest known one is "image"
	// claude.yaml:2:6: tty: expected true or false, found a string
}

func ExampleSchema() {
	k, _ := schema.Profile().Lookup("mcp_override")
	fmt.Println(k.Path, k.Type, k.Default)
	// Output: mcp_override boolean false
}
