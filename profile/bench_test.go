package profile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkResolve measures reading, merging and resolving by the number of
// servers in an mcp_file.
func BenchmarkResolve(b *testing.B) {
	for _, n := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := b.TempDir()
			var servers []string
			for i := range n {
				servers = append(servers, fmt.Sprintf(`"s%d": {"command": "npx", "args": ["-y", "server", "${WORKSPACE}"], "env": {"TOKEN": "${TOKEN}"}}`, i))
			}
			for name, data := range map[string]string{
				".heretic/agents/claude.yaml": "image: x\nmcp_file: mcp.json\n",
				"mcp.json":                    `{"mcpServers": {` + strings.Join(servers, ",\n") + "}}",
			} {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					b.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
					b.Fatal(err)
				}
			}
			l := Loader{HereticHome: filepath.Join(dir, ".heretic"), Home: dir, Project: dir}
			env := Environment{Lookup: func(string) (string, bool) { return "t", true }}
			for b.Loop() {
				m, err := l.Merge("claude", Options{})
				if err != nil {
					b.Fatal(err)
				}
				res, err := m.Resolve(b.Context(), env)
				if err != nil || len(res.Profile.Servers) != n {
					b.Fatal(err)
				}
			}
		})
	}
}
