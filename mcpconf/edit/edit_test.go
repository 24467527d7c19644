package edit

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestApply(t *testing.T) {
	set := func(v any, key ...string) Edit { return Edit{Key: key, Value: v} }
	remove := func(key ...string) Edit { return Edit{Key: key, Remove: true} }
	for _, tt := range []struct {
		name, file, in, want string
		edits                []Edit
	}{
		{"empty json", "a.json", "", "{\n  \"a\": true\n}\n", []Edit{set(true, "a")}},
		{"empty object", "a.json", "{}", "{\n  \"a\": {\n    \"b\": 1\n  }\n}", []Edit{set(1, "a", "b")}},
		{"unchanged", "a.json", `{"a":1.0,"b":[ 1 ]}`, `{"a":1.0,"b":[ 1 ]}`, []Edit{set([]int{1}, "b")}},
		{
			"comments, tabs and commas stay", "a.json",
			"// head\n{\n\t\"a\": 1, // one\n\t/* two */ \"b\": {\"x\": 1,},\n}\n",
			"// head\n{\n\t\"a\": 2, // one\n\t/* two */ \"b\": {\"x\": 1,\n\t\t\"y\": [\n\t\t\t\"z\"\n\t\t],\n\t},\n\t\"c\": \"d\",\n}\n",
			[]Edit{set(2, "a"), set([]string{"z"}, "b", "y"), set("d", "c")},
		},
		{
			"a comment behind the last member", "a.json",
			"{\n  \"a\": 1 // one\n}",
			"{\n  \"a\": 1, // one\n  \"b\": 2\n}",
			[]Edit{set(2, "b")},
		},
		{"remove the last", "a.json", `{"a": 1, "b": 2}`, `{"a": 1}`, []Edit{remove("b")}},
		{"remove the first", "a.json", `{"a": 1, "b": 2}`, `{ "b": 2}`, []Edit{remove("a")}},
		{
			"remove behind a comment", "a.json", "{\"a\": 1, // one\n\"b\": 2, \"c\": 3, /* x\n */ \"d\": 4}",
			"{\"a\": 1, // one\n \"c\": 3}", []Edit{remove("b"), remove("d")},
		},
		{"remove the only", "a.json", `{"a": 1}`, `{}`, []Edit{remove("a")}},
		{"remove what is not there", "a.json", `{"a": 1}`, `{"a": 1}`, []Edit{remove("b"), remove("b", "c")}},
		{"a comment at the very end", "a.json", "{\"a\": 1} // x", "{\"a\": 2} // x", []Edit{set(2, "a")}},
		{"byte-order mark", "a.json", "\uFEFF{\"a\": 1}", "\uFEFF{\"a\": 2}", []Edit{set(2, "a")}},
		{"a key with a slash", "a.json", `{}`, "{\n  \"projects\": {\n    \"/w~/x\": {\n      \"t\": true\n    }\n  }\n}", []Edit{set(true, "projects", "/w~/x", "t")}},

		{"empty toml", "a.toml", "", "a = true\n", []Edit{set(true, "a")}},
		{"toml root key", "a.toml", "# top\nx = 1 # one\n\n[t]\ny = 2\n", "# top\nx = 1 # one\na = \"b\"\n\n[t]\ny = 2\n", []Edit{set("b", "a")}},
		{"toml root key before tables", "a.toml", "[t]\ny = 2\n", "a = 1\n\n[t]\ny = 2\n", []Edit{set(1, "a")}},
		{"toml value", "a.toml", "[t]\n\"y=\" = [1,\n 2] # old\nz = 3", "[t]\n\"y=\" = false # old\nz = 3", []Edit{set(false, "t", "y=")}},
		{"toml key in a table", "a.toml", "[t]\ny = 2\n\n[u]\n", "[t]\ny = 2\nz = 3\n\n[u]\n", []Edit{set(3, "t", "z")}},
		{
			"toml new table", "a.toml", "x = 1", "x = 1\n\n[projects.\"/w\"]\ntrust = \"yes\"\nmore = 1\n",
			[]Edit{set("yes", "projects", "/w", "trust"), set(1, "projects", "/w", "more")},
		},
		{"toml dotted", "a.toml", "f.a = 1\ng = 2\n", "f.a = 1\nf.b = true\ng = 2\n", []Edit{set(true, "f", "b")}},
		{"toml inline", "a.toml", "f = { a = 1, d = 2020-01-01 } # x\n", "f = { a = 2, d = 2020-01-01, b = { c = \"\" } } # x\n", []Edit{set(2, "f", "a"), set("", "f", "b", "c")}},
		{"toml inline remove", "a.toml", "f = { a = 1, b = 2 }\n", "f = { b = 2 }\n", []Edit{remove("f", "a")}},
		{
			"toml table in place, with its sub-tables", "a.toml",
			"[s.a]\n# gone\nx = 1\n\n[s.a.env]\nK = 'v'\n\n# b's\n[s.b]\ny = 1\n",
			"[s.a]\nx = 2\n\n# b's\n[s.b]\ny = 1\n",
			[]Edit{set(map[string]any{"x": 2}, "s", "a")},
		},
		{
			"toml table behind its family", "a.toml",
			"[s.a]\nx = 1\n\n[z]\nk = 1\n",
			"[s.a]\nx = 1\n\n[s.b]\nx = 2\n\n[z]\nk = 1\n",
			[]Edit{set(map[string]any{"x": 2}, "s", "b")},
		},
		{
			"toml dotted keys of a table", "a.toml",
			"s.a.x = 1\nother = 2\n\n[z]\nk = 1\n",
			"other = 2\n\n[s.a]\nx = 2\n\n[z]\nk = 1\n",
			[]Edit{set(map[string]any{"x": 2}, "s", "a")},
		},
		{
			"toml remove a table", "a.toml",
			"[s.a]\nx = 1\n\n[s.b]\ny = 1\n\n[s.b.env]\nz = 1\n\n[t]\nk = 1\n",
			"[s.a]\nx = 1\n\n[t]\nk = 1\n",
			[]Edit{remove("s", "b")},
		},
		{"toml table at the end", "a.toml", "# only a comment", "# only a comment\n\n[s.a]\nx = 1\n", []Edit{set(map[string]any{"x": 1}, "s", "a")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Apply(tt.file, []byte(tt.in), tt.edits...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			again, err := Apply(tt.file, got, tt.edits...)
			if err != nil || string(again) != string(got) {
				t.Errorf("a second time, error %v:\n%s", err, again)
			}
		})
	}
}

func TestApplyErrors(t *testing.T) {
	for _, tt := range []struct {
		name, file, in, want string
		key                  []string
	}{
		{"syntax", "a.json", "{\n  \"a\" 1}", "a.json:2:7: invalid character '1' after object name", []string{"a"}},
		{"not an object", "a.json", "[]", "a.json:1: the file is not a JSON object", []string{"a"}},
		{"a list on the way", "a.json", "{\"a\":\n []}", `a.json:2:2: "a" is not an object`, []string{"a", "b"}},
		{"toml syntax", "a.toml", "a = 1\nb = = 2\n", "a.toml:2:5: unexpected character U+003D '=' at start of value", []string{"a"}},
		{"toml twice", "a.toml", "a = 1\na = 2\n", "a.toml:2:1: the key was there before", []string{"a"}},
		{"a table for a value", "a.toml", "[a]\n", `a.toml: "a" is a table`, []string{"a"}},
		{"a value for a table", "a.toml", "a = 1\n", `a.toml: "b" cannot be set in something that is not a table`, []string{"a", "b"}},
		{"not text", "a.json", "{\"a\": \"\xff\"}", "a.json: not UTF-8 text", []string{"a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Apply(tt.file, []byte(tt.in), Edit{Key: tt.key, Value: 1})
			if err == nil || err.Error() != tt.want {
				t.Errorf("error = %v\nwant    %s", err, tt.want)
			}
			if e, ok := errors.AsType[*Error](err); !ok || e.Hint() == "" {
				t.Errorf("%T has no hint", err)
			}
		})
	}
}

func TestGet(t *testing.T) {
	for _, tt := range []struct {
		file, in string
		key      []string
		want     any
		ok       bool
	}{
		{"a.json", `{"a": {"b": [1, "x", null]}} // c`, []string{"a", "b"}, []any{1, "x", nil}, true},
		{"a.json", `{"a": 1}`, []string{"a"}, 1, true},
		{"a.json", `{}`, []string{"a", "b"}, nil, false},
		{"a.json", "", []string{"a"}, nil, false},
		{"a.toml", "[a.\"b/c\"]\nd = true\n", []string{"a", "b/c", "d"}, true, true},
		{"a.toml", "[a]\nd = {x = 1}\n", []string{"a"}, map[string]any{"d": map[string]any{"x": 1}}, true},
		{"a.toml", "", []string{"a"}, nil, false},
	} {
		got, ok, err := Get(tt.file, []byte(tt.in), tt.key)
		if err != nil || ok != tt.ok || !cmp.Equal(got, tt.want) {
			t.Errorf("Get(%q, %q, %q) = %v, %v, %v; want %v, %v", tt.file, tt.in, tt.key, got, ok, err, tt.want, tt.ok)
		}
	}
}
