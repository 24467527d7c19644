package edit

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tailscale/hujson"
)

// FuzzApply sets and takes out keys of anything: the result can be read, has
// the value, keeps the other keys, and a second time changes nothing.
func FuzzApply(f *testing.F) {
	f.Add(true, []byte("# c\na = 1\n[t.\"x\"]\nb = [1,\n2] # d\n\n[[l]]\nc = {d = 1}\n"), "t", "x")
	f.Add(true, []byte("t.x.y = 1\nz = 2"), "t", "n")
	f.Add(false, []byte("{ // c\n  \"t\": {\"x\": 1, /* d */ \"y\": [],},\n\"z\": null}"), "t", "x")
	f.Add(false, []byte("{\"a\": 1, // one\n\"t\": 2, \"c\": 3}"), "t", "")
	f.Fuzz(func(t *testing.T, toml bool, data []byte, a, b string) {
		file := "f.json"
		if toml {
			file = "f.toml"
		}
		key := []string{a, b}
		if b == "" {
			key = key[:1]
		}
		for _, e := range []Edit{{Key: key, Value: "v"}, {Key: key, Value: map[string]any{"k": true}}, {Key: key, Remove: true}} {
			out, err := Apply(file, data, e)
			if err != nil {
				continue
			}
			got, ok, err := Get(file, out, key)
			switch {
			case err != nil:
				t.Fatalf("%v: %v\n%s\nbecame\n%s", e, err, data, out)
			case e.Remove && ok, !e.Remove && !cmp.Equal(got, e.Value):
				t.Fatalf("%v: got %v, %v\n%s\nbecame\n%s", e, got, ok, data, out)
			}
			if again, err := Apply(file, out, e); err != nil || !bytes.Equal(again, out) {
				t.Fatalf("%v: a second time, error %v\n%s\nbecame\n%s", e, err, out, again)
			}
			before, errBefore := others(file, data, a)
			after, errAfter := others(file, out, a)
			if errBefore == nil && (errAfter != nil || !cmp.Equal(before, after)) {
				t.Fatalf("%v: other keys changed (-before +after):\n%s\n%s\nbecame\n%s", e, cmp.Diff(before, after), data, out)
			}
		}
	})
}

// others is the whole document without one key.
func others(file string, data []byte, key string) (any, error) {
	ed, err := open(file, data)
	if err != nil {
		return nil, err
	}
	all := map[string]any{}
	switch ed := ed.(type) {
	case *tomlEditor:
		err = ed.values[""].Decode(&all)
	case *jsonEditor:
		for _, m := range ed.root.Value.(*hujson.Object).Members {
			name := m.Name.Value.(hujson.Literal).String()
			if all[name], _, err = Get(file, data, []string{name}); err != nil {
				return nil, err
			}
		}
	}
	delete(all, key)
	return all, err
}
