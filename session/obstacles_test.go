package session

import (
	"testing"

	"heretic/mcpconf"
	"heretic/profile"
)

func TestObstacles(t *testing.T) {
	http := func(url string) mcpconf.Server { return mcpconf.Server{Name: "s", Type: mcpconf.HTTP, URL: url} }
	stdio := func(command string) mcpconf.Server {
		return mcpconf.Server{Name: "s", Type: mcpconf.Stdio, Command: command}
	}
	off := http("http://localhost/x")
	off.Disabled = true
	for _, c := range []struct {
		name   string
		server mcpconf.Server
		p      profile.Profile
		want   string // the field; empty: none
	}{
		{"this machine", http("http://localhost:3000/mcp"), profile.Profile{}, "url"},
		{"by address", http("http://127.0.0.1/mcp"), profile.Profile{}, "url"},
		{"by address 6", http("http://[::1]:80/mcp"), profile.Profile{}, "url"},
		{"host network", http("http://localhost/mcp"), profile.Profile{Extra: profile.Extra{Network: "host"}}, ""},
		{"nothing else", http("http://localhost/mcp"), profile.Profile{Extra: profile.Extra{Network: "none"}}, ""},
		{"elsewhere", http("https://localhost.example/mcp"), profile.Profile{}, ""},
		{"disabled", off, profile.Profile{}, ""},
		{"engine", stdio("/usr/bin/docker"), profile.Profile{}, "command"},
		{"engine given", stdio("docker"), profile.Profile{Dind: true}, ""},
		{"engine mounted", stdio("docker"), profile.Profile{Volumes: []profile.Volume{{Target: "/var/run/docker.sock"}}}, ""},
		{"download", stdio("npx"), profile.Profile{Extra: profile.Extra{Network: "none"}}, "command"},
		{"download with network", stdio("npx"), profile.Profile{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.p.Servers = []mcpconf.Server{c.server}
			field := ""
			for _, o := range Obstacles(c.p) {
				field = o.Field
			}
			if field != c.want {
				t.Errorf("obstacle in %q, want %q", field, c.want)
			}
		})
	}
}
