package schema

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"gopkg.in/yaml.v3"
)

var update = flag.Bool("update", false, "rewrite docs/reference.md")

// check parses and checks as profile does.
func check(file string, data []byte) error {
	root, err := Parse(file, data)
	return Join(append(Errors(err), Profile().Check(file, root)...))
}

// Each section of testdata/errors.txtar is a file and the errors it gets.
func TestErrors(t *testing.T) {
	ar, err := txtar.ParseFile("testdata/errors.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(ar.Files); i += 2 {
		in, want := ar.Files[i], ar.Files[i+1]
		t.Run(in.Name, func(t *testing.T) {
			got := fmt.Sprintln(check("p.yaml", in.Data))
			for _, e := range Errors(check("p.yaml", in.Data)) {
				if e.Fix != "" {
					got += "hint: " + e.Fix + "\n"
				}
			}
			if got != string(want.Data) {
				t.Errorf("got:\n%swant:\n%s", got, want.Data)
			}
		})
	}
}

func TestEmpty(t *testing.T) {
	for _, in := range []string{"", "\n", "# only\n# comments\n", "---\n", "---\n# c\n...\n", "\uFEFF", "null\n", "~"} {
		root, err := Parse("p", []byte(in))
		if in == "null\n" || in == "~" {
			if err == nil {
				t.Errorf("%q: no error", in)
			}
			continue
		}
		if root != nil || err != nil {
			t.Errorf("%q: %v, %v", in, root, err)
		}
	}
}

// Hostile files end soon, with an error.
func TestBounded(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", c-1), 9), ","))
	}
	for name, in := range map[string]string{
		"alias bomb":    bomb,
		"deep flow":     strings.Repeat("[", 10_000),
		"deep closed":   "a: " + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000),
		"deep block":    strings.Repeat("- ", 10_000) + "x",
		"deep maps":     strings.Repeat("{a: ", 5_000) + strings.Repeat("}", 5_000),
		"large":         strings.Repeat("#", MaxSize+1),
		"self":          "a: &a\n  b: *a\n",
		"merge of self": "a: &a\n  <<: *a\n",
	} {
		t.Run(name, func(t *testing.T) {
			root, err := Parse("p", []byte(in))
			if err == nil {
				t.Errorf("read as %v", root.Kind)
			} else if len(err.Error()) > 1000 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
		})
	}
}

func TestAliases(t *testing.T) {
	root, err := Parse("p", []byte("env: &e {A: 1}\nextra:\n  labels:\n    <<: *e\n    B: 2\nmcp: [&s {name: x}, *s]\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := root.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if s := fmt.Sprint(got); s != "map[env:map[A:1] extra:map[labels:map[A:1 B:2]] mcp:[map[name:x] map[name:x]]]" {
		t.Error(s)
	}
}

func TestNear(t *testing.T) {
	names := []string{"claude", "copilot", "my-claude", "gemini"}
	for word, want := range map[string]string{"claud": "claude", "cladue": "claude", "Copilot": "copilot", "xyz": "", "gem": "gemini", "": ""} {
		got := ""
		if n := Near(word, names); len(n) > 0 {
			got = n[0]
		}
		if got != want {
			t.Errorf("Near(%q) = %q, want %q", word, got, want)
		}
	}
	for key, want := range map[string]string{"imge": "image", "agentType": "agent_type", "memory": "extra.memory", "mcpfile": "mcp_file", "zzz": ""} {
		if got := Profile().Nearest("", key); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", key, got, want)
		}
	}
}

// Every row is complete, its default and example are valid, and what it is
// below exists.
func TestTable(t *testing.T) {
	for _, table := range []Table{Profile(), Settings()} {
		for _, k := range table {
			if k.Doc == "" || k.Type == "" {
				t.Errorf("%s: no doc or type", k.Path)
			}
			if i := strings.LastIndexByte(k.Path, '.'); i > 0 {
				if parent, ok := table.Lookup(k.Path[:i]); !ok || parent.Type != Object {
					t.Errorf("%s: no row for its map", k.Path)
				}
			}
			if k.Example != "" {
				if err := check(k.Path, []byte(k.Example)); err != nil {
					t.Errorf("example: %v", err)
				}
			}
		}
	}
	for _, k := range Profile() {
		if !strings.Contains(k.Path, ".") && k.Rule == "" {
			t.Errorf("%s: no rule", k.Path)
		}
		if k.Default != "" && !strings.Contains(k.Path, ".") {
			if err := check(k.Path, []byte(k.Path+": "+k.Default)); err != nil {
				t.Errorf("default: %v", err)
			}
		}
	}
}

func TestJSONSchema(t *testing.T) {
	data, err := JSONSchema()
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Properties map[string]struct {
			Properties map[string]any
		}
	}
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	for _, k := range Profile() {
		top, sub, nested := strings.Cut(k.Path, ".")
		if _, ok := s.Properties[top]; !ok {
			t.Errorf("%s is missing", k.Path)
		} else if _, ok := s.Properties[top].Properties[sub]; nested && !ok {
			t.Errorf("%s is missing", k.Path)
		}
	}
}

// The documentation is what the table says; -update writes it.
func TestReference(t *testing.T) {
	text := string(Reference())
	file := filepath.Join("..", "..", "docs", "reference.md")
	if *update {
		if err := os.WriteFile(file, Reference(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(file); err != nil || string(have) != text {
		t.Errorf("docs/reference.md is not what the table says (%v); mend it: go test ./profile/schema -update", err)
	}
	for _, k := range append(Profile(), Settings()...) {
		if !strings.Contains(text, "| `"+k.Path+"` |") {
			t.Errorf("%s is missing", k.Path)
		}
	}
}

// Whatever the bytes: no panic, errors have the file, and a tree that is
// returned has no alias and can be encoded again.
func FuzzParse(f *testing.F) {
	ar, err := txtar.ParseFile(filepath.Join("testdata", "errors.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	for i := 0; i < len(ar.Files); i += 2 {
		f.Add(ar.Files[i].Data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		root, err := Parse("p.yaml", data)
		for _, e := range Errors(err) {
			if e.Pos.File != "p.yaml" {
				t.Fatalf("%v has no file", e)
			}
		}
		if err != nil || root == nil {
			return
		}
		Profile().Check("p.yaml", root)
		var walk func(n *yaml.Node)
		walk = func(n *yaml.Node) {
			if n.Kind == yaml.AliasNode {
				t.Fatal("an alias is left")
			}
			for _, c := range n.Content {
				walk(c)
			}
		}
		walk(root)
	})
}
