package cmd

import (
	"errors"
	"strings"
	"testing"

	"heretic/cmd/internal/ui"
	"heretic/session"
)

// Without a terminal nobody can be asked: sessions of other projects are named
// and left alone unless --yes is given.
func TestConfirmStop(t *testing.T) {
	list := []session.Session{
		{Name: "one", Project: "/src/here"}, {Name: "two", Project: "/src/there"},
	}
	streams, _, _, _ := ui.Test()
	a := newApp(streams)
	for _, tt := range []struct {
		here    string
		yes     bool
		refused []string
	}{
		{"/src/here", false, []string{"two in /src/there"}},
		{"", false, []string{"one in /src/here", "two in /src/there"}},
		{"/src/here", true, nil},
	} {
		err := a.confirmStop(t.Context(), elsewhere(list, tt.here), tt.yes)
		approval, ok := errors.AsType[*approvalError](err)
		if ok != (tt.refused != nil) || !ok && err != nil {
			t.Fatalf("in %q, yes %v: %v", tt.here, tt.yes, err)
		}
		if !ok {
			continue
		}
		for _, want := range tt.refused {
			if !strings.Contains(approval.text, want) {
				t.Errorf("in %q: %q lacks %q", tt.here, approval.text, want)
			}
		}
		if strings.Count(approval.text, " in ") != len(tt.refused) || !strings.Contains(approval.hint, "--yes") {
			t.Errorf("in %q: %q, hint %q", tt.here, approval.text, approval.hint)
		}
	}
	if err := a.confirmStop(t.Context(), elsewhere(list[:1], "/src/here"), false); err != nil {
		t.Errorf("only sessions of this project: %v", err)
	}
}
