package dotenv

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	in := "\uFEFF# c\nA=1\r\nexport B = two words # c\nC='p$ss #\\n'\nD=\"l1\\nl2 \\\"q\\\" \\$X \\d\" # c\nE=\n\nF\nG=a#b\nH=\"x\ny\"\nI=a=b\nexported=1\nJ=#c\nZ=last"
	want := []Var{
		{Name: "A", Value: "1", Line: 2}, {Name: "B", Value: "two words", Line: 3}, {Name: "C", Value: `p$ss #\n`, Line: 4},
		{Name: "D", Value: "l1\nl2 \"q\" $X \\d", Line: 5}, {Name: "E", Line: 6}, {Name: "F", Host: true, Line: 8},
		{Name: "G", Value: "a#b", Line: 9}, {Name: "H", Value: "x\ny", Line: 10}, {Name: "I", Value: "a=b", Line: 12},
		{Name: "exported", Value: "1", Line: 13}, {Name: "J", Line: 14}, {Name: "Z", Value: "last", Line: 15},
	}
	got, err := Parse([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("got %d variables: %+v", len(got), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %+v, want %+v", got[i], want[i])
		}
	}
}

func TestErrors(t *testing.T) {
	for in, want := range map[string]string{
		"A=1\nB=\"s3cret\nx":  "line 2: a quote is not closed",
		"A='s3cret' s3cret":   "line 1: there is text behind the closing quote",
		"s3cret s3cret":       "line 1: expected NAME=value",
		"=s3cret":             "line 1: expected NAME=value",
		"A=\x00s3cret":        "line 1: there is a NUL in it",
		"A=\xff":              "line 1: not UTF-8 text",
		"$A=s3cret":           "line 1: expected NAME=value",
		"#\n\nexport \"A\"=x": "line 3: expected NAME=value",
	} {
		_, err := Parse([]byte(in))
		if err == nil || err.Error() != want {
			t.Errorf("Parse(%q): %v; want %s", in, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("Parse(%q) shows the value", in)
		}
	}
}

// Every variable has a name and a line of the file, and a value that is quoted
// again is read back.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"A=1", "export A='x y' # c", "A=\"a\\nb\"\nB", "#\n=\n", "A=\"\\"} {
		f.Add(s)
	}
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "\r", `\r`)
	f.Fuzz(func(t *testing.T, s string) {
		vars, err := Parse([]byte(s))
		if err != nil {
			return
		}
		for _, v := range vars {
			if v.Name == "" || v.Line < 1 || v.Line > strings.Count(s, "\n")+1 {
				t.Fatalf("%q: %+v", s, v)
			}
			back, err := Parse([]byte("A=\"" + quote.Replace(v.Value) + "\""))
			if err != nil || len(back) != 1 || back[0].Value != v.Value {
				t.Fatalf("%q read back as %+v, %v", v.Value, back, err)
			}
		}
	})
}
