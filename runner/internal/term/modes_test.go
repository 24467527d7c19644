package term

import (
	"bytes"
	"testing"
)

// pitfall 19: what a program left on is turned off, and nothing else.
func TestModesReset(t *testing.T) {
	for _, tt := range []struct{ name, output, want string }{
		{"nothing", "plain text\r\n\x1b[1mbold\x1b[0m\x1b[2J\x1b[10;5H", ""},
		{"screen", "\x1b[?1049h", "\x1b[?1049l"},
		{"screen, left", "\x1b[?1049h…\x1b[?1049l", ""},
		{"cursor", "\x1b[?25l", "\x1b[?25h"},
		{"wrap", "\x1b[?7l", "\x1b[?7h"},
		{"several at once", "\x1b[?1000;1006;2004h", "\x1b[?2004l\x1b[?1006l\x1b[?1000l"},
		{"unknown mode", "\x1b[?12345h", ""},
		{"not private", "\x1b[4h", ""},
		{"split", "\x1b[?10" + "49h", "\x1b[?1049l"},
		{"kitty", "\x1b[>1u\x1b[>5u", "\x1b[<2u"},
		{"kitty, popped", "\x1b[>1u\x1b[>5u\x1b[<u", "\x1b[<1u"},
		{"kitty, popped too often", "\x1b[>1u\x1b[<9u", ""},
		{"kitty of each screen", "\x1b[>1u\x1b[?1049h\x1b[>5u", "\x1b[<1u\x1b[?1049l\x1b[<1u"},
		{"kitty, set", "\x1b[=5;1u", "\x1b[=0u"},
		{"kitty, asked", "\x1b[?u", ""},
		{"other keys", "\x1b[>4;2m", "\x1b[>4;0m"},
		{"other keys, off", "\x1b[>4;2m\x1b[>4;0m", ""},
		{"colour", "\x1b[31m", "\x1b[0m"},
		{"keypad", "\x1b=", "\x1b>"},
		{"line drawing", "\x1b(0qqq", "\x1b(B"},
		{"margins", "\x1b[3;10r", "\x1b7\x1b[r\x1b8"},
		{"cursor style", "\x1b[5 q", "\x1b[0 q"},
		{"full reset", "\x1b[?1049h\x1b[>1u\x1bc", ""},
		{"soft reset", "\x1b[?25l\x1b[?1000h\x1b[31m\x1b[!p", "\x1b[?1000l"},
		{"in a title", "\x1b]0;\x1b[?1049h\x07", "\x1b[?1049l"}, // as a terminal reads it: ESC ends the title
		{"text of a title", "\x1b]0;[?1049h\x07", ""},
		{"cut sequence", "\x1b[?1049h\x1b[12", "\x18\x1b[?1049l"},
		{"cut title", "\x1b[?25l\x1b]0;tit", "\x1b\\\x1b[?25h"},
		{"cancelled", "\x1b[?10\x1849h", ""},
	} {
		for _, step := range []int{1, 3, 1000} {
			var m Modes
			for rest := []byte(tt.output); len(rest) > 0; {
				n := min(step, len(rest))
				_, _ = m.Write(rest[:n])
				rest = rest[n:]
			}
			if got := m.Reset(); string(got) != tt.want {
				t.Errorf("%s by %d: got %q, want %q", tt.name, step, got, tt.want)
			}
			if again := m.Reset(); len(again) > 0 {
				t.Errorf("%s: a second time %q", tt.name, again)
			}
		}
	}
}

// What Enter writes brings another terminal into the same modes.
func FuzzModes(f *testing.F) {
	f.Add([]byte("\x1b[>1u\x1b[?1049h\x1b[>5u\x1b[?25l\x1b[?2004;1000h\x1b[5 q\x1b=\x1b[>4;2m"))
	f.Add([]byte("\x1b]0;x\x1b\\\x1b[?7l\x1b[=3u"))
	f.Add([]byte("\x1b[!p\x1bc\x1b(0"))
	f.Fuzz(func(t *testing.T, output []byte) {
		var program, other Modes
		_, _ = program.Write(output)
		enter := program.Enter()
		_, _ = other.Write(enter)
		if again := other.Enter(); !bytes.Equal(again, enter) {
			t.Errorf("output %q: enter %q, then %q", output, enter, again)
		}
		reset := other.Reset()
		_, _ = other.Write(enter)
		_, _ = other.Write(reset)
		if left := other.Enter(); len(left) > 0 {
			t.Errorf("output %q: %q leaves %q", output, reset, left)
		}
	})
}
