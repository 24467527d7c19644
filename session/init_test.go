package session

import (
	"errors"
	"testing"
)

func TestInitFailure(t *testing.T) {
	for _, tt := range []struct{ line, why string }{
		{"[FATAL tini (7)] exec nope failed: No such file or directory", "exec nope failed: No such file or directory"},
		{"ERROR (catatonit:6): failed to exec pid1: Permission denied", "ERROR (catatonit:6): failed to exec pid1: Permission denied"},
		{"the agent's own words", ""},
		{"", ""},
	} {
		if why, ok := initFailure(tt.line); why != tt.why || ok != (tt.why != "") {
			t.Errorf("%q: %q, %t", tt.line, why, ok)
		}
	}
}

func TestWordsTakesNoMoreThanAnInitWrites(t *testing.T) {
	var w words
	if n, err := w.Write(make([]byte, fewWords)); n != fewWords || err != nil {
		t.Fatal(n, err)
	}
	if _, err := w.Write([]byte("x")); !errors.Is(err, errMoreWords) {
		t.Error(err)
	}
}
