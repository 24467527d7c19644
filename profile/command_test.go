package profile

import (
	"slices"
	"testing"
	"unicode/utf8"
)

func TestSplitCommand(t *testing.T) {
	for in, want := range map[string][]string{
		`get.sh a 'b c'`:                         {"get.sh", "a", "b c"},
		`a\ b "c \"d\" \\"`:                      {"a b", `c "d" \`},
		`C:\tools\op.exe read x`:                 {`C:\tools\op.exe`, "read", "x"},
		`c:/tools/op.exe "read it"`:              {"c:/tools/op.exe", "read it"},
		`"C:\Program Files\op.exe" D:\key\ a\ b`: {`C:\Program Files\op.exe`, `D:\key\`, "a b"},
		`'C:\Program Files\op.exe' x`:            {`C:\Program Files\op.exe`, "x"},
		`"C:\x\" y`:                              {`C:\x\`, "y"},
		`C:\x\get.cmd --dir=\y "\"C:\z\""`:       {`C:\x\get.cmd`, "--dir=y", `"C:z"`},
		"":                                       nil,
		"  ":                                     nil,
		`/usr/bin/op read 'op://vault/item'  # why`: {"/usr/bin/op", "read", "op://vault/item"},
	} {
		got, err := SplitCommand(in)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{`'a`, `"C:\x`, `a "b`} {
		if got, err := SplitCommand(in); err == nil {
			t.Errorf("%s: got %q", in, got)
		}
	}
}

func TestQuoteWord(t *testing.T) {
	for in, want := range map[string]string{
		"/usr/bin/heretic": "/usr/bin/heretic", "/opt/my tools/x": "'/opt/my tools/x'", "": "''",
		`C:\bin\heretic.exe`: `C:\bin\heretic.exe`, `C:\Program Files\x.exe`: `'C:\Program Files\x.exe'`,
		`C:\it's\x`: `"C:\it's\x"`, `/it's "\`: `'/it'"'"'s "\'`, `/it's`: `"/it's"`, `a\b`: `'a\b'`,
	} {
		if got := QuoteWord(in); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

// A quoted word is one word, and the same.
func FuzzQuoteWord(f *testing.F) {
	for _, s := range []string{"", "a b", `C:\a b\c`, `it's`, `C:\it's\`, `"`, `\`, "#", "a\nb", "é", `$x`, `A:"00'`, `C:\"'\`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, word string) {
		if !utf8.ValidString(word) {
			t.Skip()
		}
		got, err := SplitCommand(QuoteWord(word))
		if err != nil || len(got) != 1 || got[0] != word {
			t.Errorf("%q: quoted %s, split %q, %v", word, QuoteWord(word), got, err)
		}
	})
}

// Without a drive a command is what a shell makes of it.
func FuzzSplitCommand(f *testing.F) {
	for _, s := range []string{`a 'b c' "d\"e"`, `\ x`, `'a`, `a\`, `"\\" 'C:\x'`, `# x`, `x:y \`, `C:\x "C:\y"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := SplitCommand(s)
		for i := range s {
			if isDrive(s[i:]) {
				return
			}
		}
		want, wantErr := splitWords(s)
		if (err == nil) != (wantErr == nil) || !slices.Equal(got, want) {
			t.Errorf("%q: got %q, %v; want %q, %v", s, got, err, want, wantErr)
		}
	})
}

func TestIsScriptOnDrives(t *testing.T) {
	for _, tt := range []struct {
		text   string
		drives bool
		want   bool
	}{
		{`C:\tools\op.exe read x`, true, true},
		{`"C:\Program Files\op.exe" read x`, true, true},
		{`c:/tools/op.exe`, true, true},
		{`C:\tools\op.exe read x`, false, false},
		{`C:\tools\get.ps1`, false, true},
		{"c:literal", true, false},
	} {
		if got := isScriptOn(tt.text, tt.drives); got != tt.want {
			t.Errorf("%s, drives %v: %v", tt.text, tt.drives, got)
		}
	}
}

func TestByExtension(t *testing.T) {
	for file, want := range map[string]string{
		`C:\x\get.PS1`: "powershell", `C:\x\get.cmd`: "cmd.exe", `get.bat`: "cmd.exe", "/c/get.sh": "bash", `C:\x\op.exe`: `C:\x\op.exe`,
	} {
		got := byExtension([]string{file, "arg"})
		if got[0] != want || got[len(got)-2] != file || got[len(got)-1] != "arg" {
			t.Errorf("%s: %q", file, got)
		}
	}
}
