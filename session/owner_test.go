package session

import "testing"

func TestOwnerWarning(t *testing.T) {
	for _, tt := range []struct {
		uid, owner, group int
		want              string
	}{
		{1000, 1000, 1000, ""},
		{-1, 1000, 1000, ""}, // not known
		{1000, -1, -1, ""},
		{1000, 1001, 1002, "the agent is uid 1000, the project's owner uid 1001: it may not be able to write; mend with: heretic image build claude --uid 1001 --gid 1002"},
		{1000, 0, 0, "the agent is uid 1000, the project's owner uid 0: it may not be able to write; mend with: extra: {user: root} in the profile, or chown the project"},
	} {
		if got := ownerWarning("claude", tt.uid, tt.owner, tt.group); got != tt.want {
			t.Errorf("%+v: got %q", tt, got)
		}
	}
}
