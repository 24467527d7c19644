package term

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode"
)

func TestParseKeys(t *testing.T) {
	for _, tt := range []struct{ keys, want string }{
		{"ctrl-],d", "\x1dd"}, {"ctrl-p,ctrl-q", "\x10\x11"}, {"a", "a"}, {"ctrl-@,DEL", "\x00\x7f"}, {"", ""},
	} {
		if got, err := ParseKeys(tt.keys); err != nil || string(got) != tt.want {
			t.Errorf("%q: got %q, %v", tt.keys, got, err)
		}
	}
	for _, keys := range []string{"ctrl-", "ctrl-ä", "ab", ",", "ctrl-],"} {
		if got, err := ParseKeys(keys); err == nil {
			t.Errorf("%q: got %q and no error", keys, got)
		}
	}
}

// FuzzParseKeys reads what a user or a profile wrote: each key is one byte.
func FuzzParseKeys(f *testing.F) {
	for _, keys := range []string{"ctrl-],d", "a,b", "DEL", ",", "ctrl-", ""} {
		f.Add(keys)
	}
	f.Fuzz(func(t *testing.T, keys string) {
		got, err := ParseKeys(keys)
		if want := strings.Count(keys, ",") + 1; err == nil && keys != "" && len(got) != want {
			t.Errorf("%q are %d keys, got %q", keys, want, got)
		}
		if err != nil && strings.ContainsFunc(err.Error(), unicode.IsControl) {
			t.Errorf("%q cannot be shown", err)
		}
	})
}

// pitfall 29: the sequence is kept, everything before it arrives, nothing is
// lost at the end, however the keys are cut into reads.
func FuzzDetachWriter(f *testing.F) {
	f.Add("\x1dd", "a\x1d\x1db\x1dd", 1)
	f.Add("aab", "aaaab", 2)
	f.Add("abab", "abaabab", 3)
	f.Add("x", "", 1)
	f.Add("\x1dd", "text\x1d", 100)
	f.Fuzz(func(t *testing.T, keys, typed string, step int) {
		if keys == "" || step < 1 {
			return // the keys come parsed, and a read has bytes
		}
		var out bytes.Buffer
		w := &DetachWriter{W: &out, Keys: []byte(keys)}
		detached := false
		for rest := typed; rest != "" && !detached; {
			chunk := rest[:min(step, len(rest))]
			rest = rest[len(chunk):]
			_, err := w.Write([]byte(chunk))
			detached = errors.As(err, new(Detached))
		}
		want, _, found := strings.Cut(typed, keys)
		if !detached {
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		if detached != found || out.String() != want {
			t.Errorf("keys %q, typed %q: detached %v, passed %q; want %v, %q", keys, typed, detached, &out, found, want)
		}
	})
}

// A key that cannot begin the sequence is never held.
func TestDetachWriterHoldsNothingElse(t *testing.T) {
	var out bytes.Buffer
	w := &DetachWriter{W: &out, Keys: []byte("\x1dd")}
	for i := range 256 {
		if b := byte(i); b != 0x1d {
			out.Reset()
			if _, err := w.Write([]byte{b}); err != nil || !bytes.Equal(out.Bytes(), []byte{b}) {
				t.Errorf("%q is held: %q, %v", b, out.Bytes(), err)
			}
		}
	}
}
