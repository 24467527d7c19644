package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"heretic/mcpconf"
	"heretic/mcpconf/target"
	"heretic/profile"
)

// resolve measures how long it takes from the files of a profile to the text
// of the agent's configuration, by number of servers.
func (b *bench) resolve(ctx context.Context) ([]row, error) {
	row_, ok := target.Lookup("claude")
	if !ok {
		return nil, fmt.Errorf("no agent type claude")
	}
	var rows []row
	var hundred float64
	for _, n := range []int{1, 100, 10_000} {
		home, err := b.homeWithServers(n)
		if err != nil {
			return nil, err
		}
		loader := profile.Loader{HereticHome: home, Home: b.tmp, Project: b.tmp}
		var took []float64
		for range max(5, b.pairs/2) {
			begin := time.Now()
			merged, err := loader.Merge("bench", profile.Options{})
			if err != nil {
				return nil, err
			}
			resolved, err := merged.Resolve(ctx, profile.Environment{
				Lookup: func(name string) (string, bool) { return "value", name == "TOKEN" },
			})
			if err != nil {
				return nil, err
			}
			out, err := mcpconf.Render(row_.Form, resolved.Profile.Servers, mcpconf.RenderOptions{})
			if err != nil {
				return nil, err
			}
			if len(out.Servers) != n {
				return nil, fmt.Errorf("%d servers came out of %d", len(out.Servers), n)
			}
			took = append(took, float64(time.Since(begin)))
		}
		m := median(took)
		r := row{what: fmt.Sprintf("resolve %d servers", n), ours: millis(m)}
		switch n {
		case 100:
			hundred = m
		case 10_000:
			r.against, r.theirs = "0.3 s", "300 ms"
			r.ratio, r.goal = m/300e6, 1
			rows = append(rows, r)
			r = row{what: "resolve, for each server", ours: micros(m / 10_000), against: "of 100 servers", theirs: micros(hundred / 100), ratio: m / 100 / hundred, goal: 1.1}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func micros(v float64) string { return fmt.Sprintf("%.1f µs", v/1e3) }

// homeWithServers makes a HERETIC_HOME with one profile whose mcp_file has
// servers with variables.
func (b *bench) homeWithServers(n int) (string, error) {
	type server struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
	}
	servers := map[string]server{}
	for i := range n {
		servers[fmt.Sprintf("server-%05d", i)] = server{
			Command: "npx",
			Args:    []string{"-y", "@example/server", "${WORKSPACE}/data"},
			Env:     map[string]string{"TOKEN": "${TOKEN}", "MODE": "${MODE:-fast}"},
		}
	}
	data, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		return "", err
	}
	home := filepath.Join(b.tmp, fmt.Sprintf("home-%d", n))
	if err := os.MkdirAll(filepath.Join(home, "agents"), 0o700); err != nil {
		return "", err
	}
	file := filepath.Join(home, "servers.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return "", err
	}
	text := fmt.Sprintf("image: example\nmcp_file: %s\n", file)
	return home, os.WriteFile(filepath.Join(home, "agents", "bench.yaml"), []byte(text), 0o600)
}
