package yamledit

import (
	"errors"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"heretic/mcpconf"
)

func node(t testing.TB, text string) *yaml.Node {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Content[0]
}

func TestSet(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		path     Path
		value    string
		want     string
	}{
		{"scalar keeps its comment", "# top\nimage: a # why\nb: c\n", Path{"image"}, "new:1", "# top\nimage: new:1 # why\nb: c\n"},
		{"double quotes stay", "image: \"a\"\n", Path{"image"}, "b", "image: \"b\"\n"},
		{"single quotes stay", "image: 'a'\n", Path{"image"}, "b", "image: 'b'\n"},
		{"a key is added at the end", "a: 1\n\n# tail\n", Path{"b"}, "x", "a: 1\nb: x\n\n# tail\n"},
		{"no final line end", "a: 1", Path{"b"}, "x", "a: 1\nb: x"},
		{"empty file", "", Path{"b"}, "x", "b: x\n"},
		{"comments only", "# nothing yet\n", Path{"b"}, "x", "# nothing yet\nb: x\n"},
		{"comments only, no line end", "# nothing yet", Path{"b"}, "x", "# nothing yet\nb: x\n"},
		{"a map entry", "env:\n    A: 1 # one\n    # note\nx: y\n", Path{"env", "B"}, "2", "env:\n    A: 1 # one\n    B: 2\n    # note\nx: y\n"},
		{"a map entry in braces", "env: {A: 1} # e\nx: y\n", Path{"env", "B"}, "2", "env: {A: 1, B: 2} # e\nx: y\n"},
		{"an entry in braces", "env: {A: 1, B: \"}\"} # e\n", Path{"env", "A"}, "2", "env: {A: 2, B: \"}\"} # e\n"},
		{"braces over lines", "env: {\n  A: 1, # a\n  B: 2, # b\n}\nx: y\n", Path{"env", "C"}, "3", "env: {\n  A: 1, # a\n  B: 2, C: 3, # b\n}\nx: y\n"},
		{"a map that is not there", "a: 1\n", Path{"env", "B"}, "2", "a: 1\nenv:\n  B: 2\n"},
		{"an empty value", "a:\nb: 1\n", Path{"a"}, "x", "a: x\nb: 1\n"},
		{"an empty value with comments", "env: # none yet\n  # A: 1\nb: 1\n", Path{"env", "B"}, "2", "env: # none yet\n  B: 2\n  # A: 1\nb: 1\n"},
		{"empty at the end", "b: 1\nenv:", Path{"env", "B"}, "2", "b: 1\nenv:\n  B: 2"},
		{"[] becomes a list", "mcp: [] # none\nb: 1\n", Path{"mcp"}, "[{name: a}]", "mcp: [{name: a}] # none\nb: 1\n"},
		{"[] becomes a block list", "mcp: [] # none\nb: 1\n", Path{"mcp"}, "- name: a\n- name: b\n", "mcp: # none\n  - name: a\n  - name: b\nb: 1\n"},
		{"a block list becomes another", "mcp:\n  # mine\n  - name: a\n    command: x\n# next\nb: 1\n", Path{"mcp"}, "- name: z\n", "mcp:\n  # mine\n  - name: z\n# next\nb: 1\n"},
		{"a list without indentation", "mcp:\n- name: a\n- name: b\nx: 1\n", Path{"mcp", 1}, "name: c\nenv:\n  A: b\n", "mcp:\n- name: a\n- name: c\n  env:\n    A: b\nx: 1\n"},
		{"a block list becomes []", "mcp:\n  - name: a\n  - name: b\nx: 1\n", Path{"mcp"}, "[]", "mcp: []\nx: 1\n"},
		{"a literal", "a: |\n  # no comment\n  x\n\nb: 1\n", Path{"a"}, "y", "a: y\n\nb: 1\n"},
		{"after a literal", "env:\n  A: |\n    # text\n    x\n# next\nb: 1\n", Path{"env", "B"}, "2", "env:\n  A: |\n    # text\n    x\n  B: 2\n# next\nb: 1\n"},
		{"to a literal", "a: x # c\nb: 1\n", Path{"a"}, "\"l1\\nl2\\n\"", "a: \"l1\\nl2\\n\" # c\nb: 1\n"},
		{"a plain scalar over lines", "a: one\n  two # c\nb: 1\n", Path{"a"}, "x", "a: x # c\nb: 1\n"},
		{"windows line ends", "a: 1\r\nb: 2\r\n", Path{"c", "d"}, "x", "a: 1\r\nb: 2\r\nc:\r\n  d: x\r\n"},
		{"a byte-order mark", "\uFEFFa: 1\n", Path{"b"}, "x", "\uFEFFa: 1\nb: x\n"},
		{"wide characters", "\"käse🧀\": {a: 1}\nb: 2\n", Path{"käse🧀", "a"}, "x", "\"käse🧀\": {a: x}\nb: 2\n"},
		{"document marks", "---\na: 1\n...\n", Path{"b"}, "x", "---\na: 1\nb: x\n...\n"},
		{"a key with a colon", "env:\n  \"A:B\": 1\n", Path{"env", "A:B"}, "2", "env:\n  \"A:B\": 2\n"},
		{"an anchor", "a: &x {b: 1}\nc: *x\n", Path{"c"}, "2", "a: &x {b: 1}\nc: 2\n"},
		{"a nested list entry", "v:\n  - source: a\n    target: b # t\n  - c:d\n", Path{"v", 0, "target"}, "e", "v:\n  - source: a\n    target: e # t\n  - c:d\n"},
		{"a string that looks like a number", "a: x\n", Path{"a"}, "\"1\"", "a: \"1\"\n"},
		{"the last value is empty", "a:\n  b: 1\n  c:\nd: 1\n", Path{"a", "e"}, "2", "a:\n  b: 1\n  c:\n  e: 2\nd: 1\n"},
		{"a braces root", "{a: 1}\n", Path{"b"}, "x", "{a: 1, b: x}\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Set([]byte(tt.in), tt.path, node(t, tt.value))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestRemove(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		path     Path
		want     string
	}{
		{"a key", "a: 1\n# about b\nb: # x\n  - 1\n\n# about c\nc: 3\n", Path{"b"}, "a: 1\n# about b\n\n# about c\nc: 3\n"},
		{"the last key", "a: 1\nb: 2", Path{"b"}, "a: 1\n"},
		{"the only key", "# c\na: 1\n", Path{"a"}, "# c\n"},
		{"the only entry", "env:\n  A: 1\nb: 2\n", Path{"env", "A"}, "env: {}\nb: 2\n"},
		{"in braces", "env: {A: 1, B: 2, C: 3}\n", Path{"env", "B"}, "env: {A: 1, C: 3}\n"},
		{"last in braces", "env: {A: 1, B: 2}\n", Path{"env", "B"}, "env: {A: 1}\n"},
		{"first in brackets", "a: [1, 2]\n", Path{"a", 0}, "a: [2]\n"},
		{"a list entry", "a:\n  - x: 1\n    y: 2\n  # z\n  - z: 1\n", Path{"a", 0}, "a:\n  # z\n  - z: 1\n"},
		{"the first key of an entry", "a:\n  - x: 1\n    y: 2\n", Path{"a", 0, "x"}, "a:\n  - y: 2\n"},
		{"an empty value", "a:\nb: 1\n", Path{"a"}, "b: 1\n"},
		{"not there", "a: 1\n", Path{"b", "c"}, "a: 1\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Remove([]byte(tt.in), tt.path)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		in   string
		path Path
	}{
		{"a: &x {b: 1}\nc: *x\n", Path{"c", "b"}},
		{"a: &x {b: 1}\nc: *x\n", Path{"a"}}, // the alias would hang in the air
		{"a: 1\n", Path{"a", "b"}},
		{"a: 1\n", Path{}},
	} {
		if got, err := Set([]byte(tt.in), tt.path, String("v")); err == nil {
			t.Errorf("Set(%q, %s) = %q", tt.in, tt.path, got)
		}
	}
	if _, err := Set([]byte("a: \xff\n"), Path{"a"}, String("v")); !errors.Is(err, ErrRefused) {
		t.Errorf("invalid UTF-8: %v", err)
	}
}

func server(name, command string) mcpconf.Server {
	return mcpconf.Server{Name: name, Type: mcpconf.Stdio, Command: command}
}

func TestServers(t *testing.T) {
	in := "# mine\nmcp:\n  # files\n  - {name: a, command: x} # keep\n\n  # b's comment\n  - name: b\n    command: y\nimage: z # i\n"
	want := "# mine\nmcp:\n  # files\n  - {name: a, command: x} # keep\n\n  # b's comment\n  - name: b\n    command: new\n  - name: c\n    command: z\nimage: z # i\n"
	got, err := Servers("f", []byte(in), []mcpconf.Server{server("a", "x"), server("b", "new"), server("c", "z")})
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}

	in = "mcp: {a: {command: x}, b: {command: y}} # m\n"
	want = "mcp: {b: {command: new}, c: {command: z}} # m\n"
	got, err = Servers("f", []byte(in), []mcpconf.Server{server("b", "new"), server("c", "z")})
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}

	got, err = Servers("f", Override("claude"), []mcpconf.Server{server("a", "x")})
	if err != nil {
		t.Fatal(err)
	}
	if want := "extends: claude\nmcp:\n  - name: a\n    command: x\n"; string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A server that is replaced keeps the comments beside what it says as before.
func TestServersKeepComments(t *testing.T) {
	remote := mcpconf.Server{Name: "a", Type: mcpconf.HTTP, URL: "https://h/"}
	full := server("a", "new")
	full.Args = []string{"1"}
	full.Env = mcpconf.Vars{{Name: "K", Value: "w"}, {Name: "L", Value: "v"}}
	for _, tt := range []struct {
		name, in string
		s        mcpconf.Server
		want     string
	}{
		{
			"a list of entries",
			"mcp:\n  # about a\n  - name: a # the first\n    command: x # its program\n    args: ['1'] # its args\n    # inner\n    env:\n      K: v # a key\n  - {name: b, command: y} # b\n",
			full,
			"mcp:\n  # about a\n  - name: a # the first\n    command: new # its program\n    args: ['1'] # its args\n    # inner\n    env:\n      K: w # a key\n      L: v\n  - {name: b, command: y} # b\n",
		},
		{"an entry on one line", "mcp:\n  - {name: a, command: x} # a\n", server("a", "new"), "mcp:\n  - {name: a, command: new} # a\n"},
		{"a list on one line", "mcp: [{name: a, command: x}, # a\n  ]\n", server("a", "new"), "mcp: [{name: a, command: new}, # a\n  ]\n"},
		{"a map", "mcp:\n  a: # the first\n    command: x # its program\n", server("a", "new"), "mcp:\n  a: # the first\n    command: new # its program\n"},
		{"another transport", "mcp:\n  - name: a # the first\n    command: x\n", remote, "mcp:\n  - name: a # the first\n    type: http\n    url: https://h/\n"},
		{"another dialect", "mcp:\n  - name: a # the first\n    command: [x, y]\n", server("a", "new"), "mcp:\n  - name: a # the first\n    command: new\n"},
	} {
		old := server("b", "y")
		servers := []mcpconf.Server{tt.s}
		if strings.Contains(tt.in, "name: b") {
			servers = append(servers, old)
		}
		got, err := Servers("f", []byte(tt.in), servers)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if string(got) != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// Whatever the file: an edit is refused, or it did what was asked for (Set
// proves that itself) and every line that has nothing to do with it is there
// as it was.
func FuzzSet(f *testing.F) {
	for _, s := range []string{"a: 1\nb: [1, 2]\n", "env:\n  A: |\n    x\n  k: >-\n    y\n\nb: 'x'\n", "{a: 1, k: {b: c}}", "k:\n- a: b\n- c\n# e\n", "# c\n", "? a\n: b\nk: x\n", "a: \"x\\\n  y\"\nk: &a x\n"} {
		f.Add(s, "k", "v")
	}
	f.Fuzz(func(t *testing.T, text, key, value string) {
		if strings.ContainsRune(value, 0) {
			return
		}
		got, err := Set([]byte(text), Path{key}, String(value))
		if err != nil {
			return
		}
		n, err := tree([]byte(strings.TrimPrefix(string(got), bom)))
		if err != nil {
			t.Fatalf("%q: %v", got, err)
		}
		v, _, ok := findNode(n, Path{key})
		if !ok || v.Value != value {
			t.Fatalf("%q has no %q: %q", got, key, value)
		}
		removed, err := Remove(got, Path{key})
		if err != nil {
			return
		}
		if n, err := tree([]byte(strings.TrimPrefix(string(removed), bom))); err != nil {
			t.Fatalf("%q: %v", removed, err)
		} else if _, _, ok := findNode(n, Path{key}); ok {
			t.Fatalf("%q still has %q", removed, key)
		}
	})
}
