package cmd

import (
	"slices"
	"testing"
)

func TestUsualEditors(t *testing.T) {
	for system, want := range map[string][]string{
		"windows": {"notepad"},
		"linux":   {"sensible-editor", "nano", "vi"},
		"darwin":  {"sensible-editor", "nano", "vi"},
	} {
		if got := usualEditors(system); !slices.Equal(got, want) {
			t.Errorf("%s: %q", system, got)
		}
	}
}
