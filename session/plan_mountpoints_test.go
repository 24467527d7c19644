package session_test

import (
	"slices"
	"testing"

	"heretic/mcpconf/target"
	"heretic/profile"
	"heretic/session"
)

// Volumes that land in the project get a place there; those in another volume,
// or in what heretic guards, do not.
func TestPlanMountPoints(t *testing.T) {
	row, _ := target.Lookup("generic")
	req, f := planRequest(row), planFacts(row)
	req.Profile.Servers = nil
	req.Profile.Volumes = []profile.Volume{
		{Source: "/project", Target: "/workspace"},
		{Source: "modules", Target: "/workspace/web/node_modules", Named: true},
		{Source: "deep", Target: "/workspace/web/node_modules/deep", Named: true},
		{Source: "/etc/hosts", Target: "/workspace/hosts", File: true},
		{Source: "/x", Target: "/workspace/.heretic/x"},
		{Source: "/x", Target: "/elsewhere"},
	}
	req.Profile.Extra.Tmpfs = []string{"/workspace/scratch:size=1m", "/tmp"}
	req.Profile.Workdir = "/workspace/start/here"
	p, err := session.NewPlan(req, f)
	if err != nil {
		t.Fatal(err)
	}
	want := []session.Placeholder{{Path: "hosts"}, {Path: "scratch", Dir: true}, {Path: "start", Dir: true}, {Path: "start/here", Dir: true}, {Path: "web", Dir: true}, {Path: "web/node_modules", Dir: true}}
	if !slices.Equal(p.Placeholders, want) {
		t.Errorf("%v, want %v", p.Placeholders, want)
	}
}
