package mcpconf

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUpdate(t *testing.T) {
	servers := []Server{
		{Name: "fs", Type: Stdio, Command: "npx", Args: []string{"fs"}, Env: Vars{{"K", "v"}}},
		{Name: "web.x", Type: HTTP, URL: "https://web.example/mcp"},
	}
	for _, tt := range []struct {
		name     string
		form     Form
		file     string
		in, want string
	}{
		{
			name: "codex: comments, other tables and the user's own server stay", form: Codex, file: "config.toml",
			in: `# mine
model = "o9" # best

[mcp_servers.fs]
command = "old"
[mcp_servers.fs.env]
OLD = "1"

# by hand
[mcp_servers.own]
command = "own"

[mcp_servers.gone]
command = "was heretic's"

[projects."/w"]
trust_level = "trusted"
`,
			want: `# mine
model = "o9" # best

[mcp_servers.fs]
command = "npx"
args = ["fs"]
env = { K = "v" }

# by hand
[mcp_servers.own]
command = "own"

[mcp_servers."web.x"]
url = "https://web.example/mcp"

[projects."/w"]
trust_level = "trusted"
`,
		},
		{
			name: "codex: an empty file", form: Codex, file: "config.toml",
			want: "[mcp_servers.fs]\ncommand = \"npx\"\nargs = [\"fs\"]\nenv = { K = \"v\" }\n\n[mcp_servers.\"web.x\"]\nurl = \"https://web.example/mcp\"\n",
		},
		{
			name: "gemini: comments and other keys stay", form: Gemini, file: "settings.json",
			in:   "{\n    // mine\n    \"theme\": \"x\",\n    \"mcpServers\": {\n        \"own\": {\"command\": \"own\"}, // by hand\n        \"gone\": {\"command\": \"y\"}\n    }\n}\n",
			want: "{\n    // mine\n    \"theme\": \"x\",\n    \"mcpServers\": {\n        \"own\": {\"command\": \"own\"}, // by hand\n        \"fs\": {\n            \"command\": \"npx\",\n            \"args\": [\n                \"fs\"\n            ],\n            \"env\": {\n                \"K\": \"v\"\n            }\n        },\n        \"web.x\": {\n            \"httpUrl\": \"https://web.example/mcp\"\n        }\n    }\n}\n",
		},
		{
			name: "acpx: the list is replaced, all else stays", form: Acpx, file: ".acpxrc.json",
			in:   `{"defaultAgent":"c","mcpServers":[{"name":"x","command":"y"}],"agents":{}}`,
			want: "{\"defaultAgent\":\"c\",\"mcpServers\":[\n    {\n      \"name\": \"fs\",\n      \"type\": \"stdio\",\n      \"command\": \"npx\",\n      \"args\": [\n        \"fs\"\n      ],\n      \"env\": [\n        {\n          \"name\": \"K\",\n          \"value\": \"v\"\n        }\n      ]\n    },\n    {\n      \"name\": \"web.x\",\n      \"type\": \"http\",\n      \"url\": \"https://web.example/mcp\",\n      \"headers\": []\n    }\n  ],\"agents\":{}}",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opt := RenderOptions{Earlier: []string{"gone", "fs"}}
			out, err := Update(tt.form, tt.file, []byte(tt.in), servers, opt)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(out.Data)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			again, err := Update(tt.form, tt.file, out.Data, servers, opt)
			if err != nil || string(again.Data) != tt.want {
				t.Errorf("a second time, error %v:\n%s", err, again.Data)
			}
		})
	}
}

func TestUpdateErrors(t *testing.T) {
	for _, tt := range []struct {
		form           Form
		file, in, want string
	}{
		{Gemini, "settings.json", "{\n  \"a\": }", "settings.json:2:8: invalid character '}' at start of value"},
		{Gemini, "settings.json", `{"mcpServers": []}`, `settings.json:1:16: "mcpServers" is not an object`},
		{Codex, "config.toml", "a = 1\nb = = 2\n", "config.toml:2:5: unexpected character U+003D '=' at start of value"},
		{Codex, "config.toml", "mcp_servers = 1\n", "is not"},
		{Acpx, ".acpxrc.json", `{"agents": {}, } // x`, ".acpxrc.json: not plain JSON, which is all that acpx reads"},
		{"goose", "config.yaml", "a: 1\n", "config.yaml: files of goose cannot be updated"},
	} {
		_, err := Update(tt.form, tt.file, []byte(tt.in), []Server{stdio("a")}, RenderOptions{})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %q: error = %v\nwant %s", tt.form, tt.in, err, tt.want)
		}
		if _, ok := errors.AsType[*FormatError](err); !ok {
			t.Errorf("%s %q: %T", tt.form, tt.in, err)
		}
	}
}
