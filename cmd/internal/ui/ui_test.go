package ui

import (
	"encoding/json"
	"testing"
)

func TestClean(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"plain text, ümläut 漢字", "plain text, ümläut 漢字"},
		{"\x1b[31mred\x07", `\x1b[31mred\a`},
		{"a\nerror: b", `a\nerror: b`},
		{"c1 \u009b31m", `c1 \u009b31m`},
		{"bad \xff byte", `bad \xff byte`},
		{"real \ufffd", "real \ufffd"},
		{"bidi \u202e end", `bidi \u202e end`},
		{"tag \U000e0041", `tag \U000e0041`},
		{"", ""},
	} {
		if got := Clean(tt.in); got != tt.want {
			t.Errorf("Clean(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestMessagesOfSeveralLinesAreIndented(t *testing.T) {
	s, _, _, errOut := Test()
	s.Error("first\nhint: not a hint\n")
	s.Hint("type \x1b]0;x\x07 this")
	want := "error: first\n  hint: not a hint\nhint: type \\x1b]0;x\\a this\n"
	if got := errOut.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestColourOnlyWhereAllowed(t *testing.T) {
	for _, tt := range []struct {
		tty, colour bool
		want        string
	}{
		{true, true, "\x1b[31merror:\x1b[0m x\n"},
		{true, false, "error: x\n"},
		{false, true, "error: x\n"},
	} {
		s, _, _, errOut := Test()
		s.ErrTTY, s.Colour = tt.tty, tt.colour
		s.Error("x")
		if got := errOut.String(); got != tt.want {
			t.Errorf("tty %v colour %v: got %q, want %q", tt.tty, tt.colour, got, tt.want)
		}
	}
}

func TestJSONIsHarmlessAndStaysJSON(t *testing.T) {
	s, _, out, _ := Test()
	in := map[string]string{"k": "<&> \u009b \x7f \u202e \U000e0041 \x1b"}
	if err := s.JSON(in); err != nil {
		t.Fatal(err)
	}
	want := "{\n  \"k\": \"<&> \\u009b \\u007f \\u202e \\udb40\\udc41 \\u001b\"\n}\n"
	if got := out.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	var back map[string]string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back["k"] != in["k"] {
		t.Errorf("came back as %q, %v", back, err)
	}
}

func TestTable(t *testing.T) {
	rows := [][]string{{"claude", "a\tb"}, {"x", ""}}
	s, _, out, _ := Test()
	if err := s.Table([]string{"NAME", "WHAT"}, rows); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "claude\ta\\tb\nx\t\n"; got != want {
		t.Errorf("piped: got %q, want %q", got, want)
	}
	s, _, out, _ = Test()
	s.OutTTY = true
	if err := s.Table([]string{"NAME", "WHAT"}, rows); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "NAME     WHAT\nclaude   a\\tb\nx        \n"; got != want {
		t.Errorf("terminal: got %q, want %q", got, want)
	}
}
