package session

import "testing"

func TestUsable(t *testing.T) {
	for text, want := range map[string]FileState{
		"":   Empty,
		"{}": NoServers, "null": NoServers,
		`{"mcpServers": {}}`:                     NoServers,
		`{"mcpServers": []}`:                     NoServers,
		`{"MCPSERVERS": {"s": {}}}`:              NoServers,
		`{"mcpServers": {"s": {}}}`:              Usable,
		"\ufeff" + `{"mcpServers": {"s": {}}}`:   Usable,
		`{"mcpServers": {"s": {}}, "other": 1}`:  Usable,
		`{"mcpServers": {"s": {}}} // a comment`: Broken,
		`[]`:                                     Broken,
		" ":                                      Broken,
	} {
		if got, _ := usable([]byte(text)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
