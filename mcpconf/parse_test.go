package mcpconf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
)

func utf16Text(order binary.AppendByteOrder, s string) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = order.AppendUint16(b, u)
	}
	return b
}

// TestParseErrors has the texts to the letter.
func TestParseErrors(t *testing.T) {
	for _, tt := range []struct {
		name, format, file string
		data               []byte
		want               string
	}{
		{"no command", "", "in.json", []byte(`{"mcpServers":{"r":{"args":["x"]}}}`), "MCP server 'r' in in.json is missing required field 'command'"},
		{"no url", "", "in.json", []byte(`{"r":{"type":"http"},"s":{"command":"x"}}`), "MCP server 'r' in in.json is missing required field 'url' for http transport"},
		{"empty", "", "in.json", nil, "MCP file is empty: in.json"},
		{"blank", "", "in.json", []byte("\uFEFF \n"), "MCP file is empty: in.json"},
		{"syntax", "", "in.json", []byte("{\n \"é\" 1}"), "Failed to parse MCP file as JSON: in.json: line 2, column 6: invalid character '1' after object name"},
		{"utf-16 le with mark", "", "in.json", append([]byte{0xFF, 0xFE}, utf16Text(binary.LittleEndian, `{"a":1}`)...), "MCP file is UTF-16LE, not UTF-8: in.json"},
		{"utf-16 le", "", "in.json", utf16Text(binary.LittleEndian, `{"a":1}`), "MCP file is UTF-16LE, not UTF-8: in.json"},
		{"utf-16 be", "", "in.json", utf16Text(binary.BigEndian, `{"a":1}`), "MCP file is UTF-16BE, not UTF-8: in.json"},
		{"not text", "", "in.json", []byte("{\"a\":\"\xff\xfe\"}"), "MCP file is not UTF-8 text: in.json"},
		{"unknown format", "jsonx", "in.json", []byte(`{}`), "unknown format 'jsonx'"},
		{"no servers", "", "in.json", []byte(`{"theme":"dark"}`), "no MCP servers found in in.json"},
		{"name of the file", "", "a\x1b[2J.json", []byte(`{"theme":"dark"}`), `no MCP servers found in a\x1b[2J.json`},
		{"name of the file in a place", "", "a\nb.json", []byte(`{"mcpServers":3}`), `a\nb.json:1:15: mcpServers: expected a map or a list of servers, found a number`},
		{"a name that is not UTF-8 cannot be, but one can be odd", "", "in.json", []byte(`{"mcpServers":{"\u202e":{}}}`), `MCP server '\u202e' in in.json is missing required field 'command'`},
		{"a value is never shown", "", "in.json", []byte(`{"mcpServers":{"a":{"command":"x","env":{"K":["s3cret"]}}}}`), "MCP server 'a' in in.json:1:46: env.K: expected a string, found a list"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(Source{Name: tt.file, Format: tt.format}, tt.data)
			if err == nil || err.Error() != tt.want {
				t.Errorf("error = %v\nwant    %s", err, tt.want)
			}
		})
	}
}

func TestParseErrorTypes(t *testing.T) {
	set, err := Parse(Source{Name: "f"}, nil)
	if !errors.Is(err, ErrEmpty) || len(set.Notes) != 1 || set.Notes[0].Text != "MCP file is empty: f" {
		t.Errorf("empty: %v, %v", set, err)
	}
	_, err = Parse(Source{Name: "f"}, []byte(`{"a":1}`))
	if !errors.Is(err, ErrNoServers) {
		t.Errorf("no servers: %v", err)
	}
	var hint interface{ Hint() string }
	if !errors.As(err, &hint) || !strings.Contains(hint.Hint(), "mcpServers") {
		t.Errorf("no hint for %v", err)
	}
	_, err = Parse(Source{Name: "f"}, []byte("{\"mcpServers\": {\n\"a\": {}}}"))
	if e, ok := errors.AsType[*ServerError](err); !ok || e.Server != "a" || e.Pos.String() != "f:2:1" || e.Hint() == "" {
		t.Errorf("server error: %#v", err)
	}
	_, err = Parse(Source{Name: "f.json"}, []byte("{\n]"))
	if e, ok := errors.AsType[*FormatError](err); !ok || e.Pos.String() != "f.json:2:1" {
		t.Errorf("format error: %#v", err)
	}
}

func TestPositions(t *testing.T) {
	for name, text := range map[string]string{
		"a.json": "{\"mcpServers\":\n {\"a\":\n  {\"command\": \"x\", // é\n   \"args\": [\"y\"],\n   \"env\": {\"K\": \"v\"}}}}",
		"a.toml": "\n [mcp_servers.a]\n  command=    \"x\"\n  args    =  [\"y\"]\n  env =  {   K = \"v\" }\n",
		"a.yaml": "mcpServers:\n a:\n  command:    x\n  args:      [y]\n  env:   {  K:   v }\n",
	} {
		set, err := Parse(Source{Name: name}, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		s := set.Servers[0]
		want := map[string][]string{
			"a.json": {"2:3", "3:15", "4:13", "5:17"},
			"a.toml": {"2:15", "3:15", "4:15", "5:18"},
			"a.yaml": {"2:2", "3:15", "4:15", "5:18"},
		}[name]
		var got []string
		for _, p := range []Pos{s.Pos, s.At("command"), s.At("args[0]"), s.At("env.K")} {
			got = append(got, fmt.Sprintf("%d:%d", p.Line, p.Col))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestBounds feeds what a hostile project may hold. Time is bounded by the
// test's own limit; memory is measured.
func TestBounds(t *testing.T) {
	const mb = 1 << 20
	rep := strings.Repeat
	for _, tt := range []struct{ name, file, text, want string }{
		{"100 MB", "in.json", `{"a":"` + rep("x", 100*mb) + `"}`, "MCP file is too large: in.json: 104857608 bytes, the limit is 16777216"},
		{"deep arrays", "in.json", rep("[", 10_000) + rep("]", 10_000), "Failed to parse MCP file as JSON: in.json: line 1, column 201: nested deeper than 200 levels"},
		{"deep and unclosed", "in.json", rep(`{"a":`, 3*mb), "nested deeper than 200 levels"},
		{"many values", "in.json", "[" + rep("1,", 4*mb), "more than 500000 values"},
		{"deep toml", "in.toml", "a = " + rep("[", 300) + rep("]", 300), "nested deeper than 200 levels"},
		{"very deep toml", "in.toml", "a = " + rep("[", 15*mb), "more than 500000 values"},
		{"long dotted key", "in.toml", "a" + rep(".a", 300_000) + " = 1", "nested deeper than 200 levels"},
		{"many toml values", "in.toml", "a = [" + rep("1,", 4*mb), "more than 500000 values"},
		{"deep yaml", "in.yaml", rep("[", 5_000) + rep("]", 5_000), "nested deeper than 200 levels"},
		{"very deep yaml", "in.yaml", rep("[", 15*mb), "exceeded max depth of 10000"},
		{"deep yaml blocks", "in.yaml", rep("- ", 9_000), "nested deeper than 200 levels"},
		{"many yaml values", "in.yaml", rep("a: 1\n", 3*mb), "more than 500000 values"},
		{"alias bomb", "in.yaml", bomb(), "more than 500000 values"},
		{"an alias of itself", "in.yaml", "mcp: &a [*a]", "nested deeper than 200 levels"},
		{"a long line of nothing", "pasted", rep("\n", 15*mb) + "x", "Failed to parse MCP file as JSON: pasted: line 15728641, column 1"},
		{"a long line of colons", "pasted", rep(":\n", 7*mb), "Failed to parse MCP file as JSON: pasted"},
		{"a long fence", "pasted", rep("```\n", 3*mb), "Failed to parse MCP file as JSON: pasted"},
		{"a long command line", "pasted", "npx " + rep("\\\n", 7*mb), ""},
		{"many commands", "pasted", rep("npx a\n", 10_000), "was there before"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			data := []byte(tt.text)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			_, err := Parse(Source{Name: tt.file}, data)
			runtime.ReadMemStats(&after)
			t.Logf("%v, %d MB", time.Since(start), (after.TotalAlloc-before.TotalAlloc)/mb)
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error = %.300v\nwant    %s", err, tt.want)
			}
			if got := (after.TotalAlloc - before.TotalAlloc) / mb; got > 600 {
				t.Errorf("%d MB were allocated", got)
			}
		})
	}
}

func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x]\n")
	for i := range 30 {
		fmt.Fprintf(&b, "a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i)
	}
	return b.String()
}

func TestParseNode(t *testing.T) {
	var file yaml.Node
	text := `
base: &base {command: x, unknown: 1}
mcp:
  - {name: a, <<: *base}
  - https://b.example/mcp
`
	if err := yaml.Unmarshal([]byte(text), &file); err != nil {
		t.Fatal(err)
	}
	set, err := ParseNode("p.yaml", file.Content[0].Content[3])
	if err != nil {
		t.Fatal(err)
	}
	want := []neutral{{Name: "a", Type: "stdio", Command: "x"}, {Name: "b.example", Type: "http", URL: "https://b.example/mcp"}}
	if diff := cmp.Diff(want, neutralOf(set.Servers)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !hasNote(set.Notes, "a: unknown: unknown key, ignored") {
		t.Errorf("notes = %v", set.Notes)
	}
	if set, err := ParseNode("p.yaml", nil); err != nil || len(set.Servers) != 0 {
		t.Errorf("nil: %v, %v", set, err)
	}
	if _, err := ParseNode("p.yaml", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: "1", Line: 3, Column: 2}); err == nil || err.Error() != "p.yaml:3:2: mcp: expected a map or a list of servers, found a number" {
		t.Errorf("a number: %v", err)
	}
}

// TestFormat tells a dialect that content and name do not.
func TestFormat(t *testing.T) {
	data := []byte(`{"mcpServers": {"a": {"url": "https://a.example/x", "timeout": 5}}}`)
	for _, format := range Formats() {
		set, err := Parse(Source{Name: "-", Format: format}, data)
		if err != nil {
			t.Errorf("%s: %v", format, err)
			continue
		}
		if set.Dialect != format {
			t.Errorf("%s was read as %s", format, set.Dialect)
		}
		wantSSE := slices.Contains([]string{"qwen", "cline"}, format)
		if (set.Servers[0].Type == SSE) != wantSSE {
			t.Errorf("%s: transport %s", format, set.Servers[0].Type)
		}
	}
	if !bytes.Contains(data, []byte("mcpServers")) {
		t.Error("the input was changed")
	}
}
