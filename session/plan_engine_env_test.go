package session

import (
	"slices"
	"testing"

	"heretic/mcpconf/target"
	"heretic/profile"
	"heretic/runner"
)

// dind mounts the engine's socket, and says what that means.
func TestPlanDind(t *testing.T) {
	row, ok := target.Lookup("generic")
	if !ok {
		t.Fatal("no generic target")
	}
	for _, dind := range []bool{false, true} {
		req := Request{
			Profile: profile.Profile{Name: "x", AgentType: "generic", Image: "i", Project: t.TempDir(), Workspace: "/workspace", Dind: dind},
			Target:  row, Session: "x", EngineSocket: "/run/user/1/docker.sock",
		}
		p, err := NewPlan(req, Facts{})
		if err != nil {
			t.Fatal(err)
		}
		want := runner.Mount{Type: runner.Bind, Source: "/run/user/1/docker.sock", Target: "/var/run/docker.sock", OnEngine: true}
		if got := slices.Contains(p.Spec.Mounts, want); got != dind {
			t.Errorf("dind %v: mounts %+v", dind, p.Spec.Mounts)
		}
		if noted := len(p.Notes) > 0; noted != dind {
			t.Errorf("dind %v: notes %+v", dind, p.Notes)
		}
	}
}

// The proxies of the docker configuration are passed unless the profile sets
// them.
func TestPlanProxyEnv(t *testing.T) {
	row, _ := target.Lookup("generic")
	p, err := NewPlan(Request{
		Profile: profile.Profile{Name: "x", AgentType: "generic", Image: "i", Project: t.TempDir(), Workspace: "/workspace",
			Env: []profile.EnvVar{{Name: "NO_PROXY", Value: "mine"}}},
		Target: row, Session: "x", ProxyEnv: []string{"HTTP_PROXY=http://p", "NO_PROXY=theirs"},
	}, Facts{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"HTTP_PROXY=http://p", "NO_PROXY=mine"} {
		if !slices.Contains(p.Spec.Env, want) {
			t.Errorf("%s is missing in %q", want, p.Spec.Env)
		}
	}
	if slices.Contains(p.Spec.Env, "NO_PROXY=theirs") {
		t.Error("the profile's own value is replaced")
	}
}
