package mcpconf

import (
	"bytes"
	"fmt"
	"testing"
)

// manyServers is a file of n servers with what real ones have.
func manyServers(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"mcpServers": {`)
	for i := range n {
		if i > 0 {
			b.WriteString(",\n")
		}
		if i%3 == 0 {
			fmt.Fprintf(&b, `"web-%d": {"url": "https://h.example/mcp/%d", "headers": {"Authorization": "Bearer ${env:TOKEN_%d}"}}`, i, i, i)
			continue
		}
		fmt.Fprintf(&b, `"fs-%d": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "${workspaceFolder}"], "env": {"LEVEL": %d, "KEY": "k"}}`, i, i)
	}
	b.WriteString("}}")
	return b.Bytes()
}

// BenchmarkParseRender reads and writes 10,000 servers.
func BenchmarkParseRender(b *testing.B) {
	data := manyServers(10_000)
	for _, form := range []Form{Claude, Codex} {
		b.Run(string(form), func(b *testing.B) {
			for b.Loop() {
				set, err := Parse(Source{Name: "in.json"}, data)
				if err != nil {
					b.Fatal(err)
				}
				out, err := Render(form, set.Servers, RenderOptions{})
				if err != nil || len(out.Servers) != 10_000 {
					b.Fatal(err, len(out.Servers))
				}
			}
		})
	}
}

// BenchmarkUpdate replaces 10,000 servers in a file that has as many.
func BenchmarkUpdate(b *testing.B) {
	set, err := Parse(Source{Name: "in.json"}, manyServers(10_000))
	if err != nil {
		b.Fatal(err)
	}
	for form, file := range map[Form]string{Gemini: "settings.json", Codex: "config.toml"} {
		b.Run(string(form), func(b *testing.B) {
			old, err := Render(form, set.Servers, RenderOptions{})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := Update(form, file, old.Data, set.Servers, RenderOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
