//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// server is one MCP server as an agent's configuration has it.
type server struct {
	Name    string
	Type    string            `json:"type" toml:"type"`
	Command string            `json:"command" toml:"command"`
	Args    []string          `json:"args" toml:"args"`
	Env     map[string]string `json:"env" toml:"env"`
	URL     string            `json:"url" toml:"url"`
	Headers map[string]string `json:"headers" toml:"http_headers"`
}

// reader is where one agent type has its configuration, and how it reads it.
type reader struct {
	path  string // {home} is the user's home; else below the working directory
	parse func([]byte) (map[string]server, error)
}

func readers() map[string]reader {
	return map[string]reader{
		"claude":      {".mcp.json", parseJSON},
		"copilot-cli": {"{home}/.copilot/mcp-config.json", parseJSON},
		"codex":       {"{home}/.codex/config.toml", parseTOML},
	}
}

func parseJSON(data []byte) (map[string]server, error) {
	var file struct {
		Servers map[string]server `json:"mcpServers"`
	}
	err := json.Unmarshal(data, &file)
	return file.Servers, err
}

func parseTOML(data []byte) (map[string]server, error) {
	var file struct {
		Servers map[string]server `toml:"mcp_servers"`
	}
	err := toml.Unmarshal(data, &file)
	return file.Servers, err
}

// readConfig returns the servers of an agent type's configuration by name, and
// the path of the file.
func readConfig(agentType string) ([]server, string, error) {
	r, ok := readers()[agentType]
	if !ok {
		return nil, "", fmt.Errorf("this program plays %s, not %q",
			strings.Join(slices.Sorted(maps.Keys(readers())), ", "), agentType)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, "", err
	}
	path, err := filepath.Abs(strings.ReplaceAll(r.path, "{home}", home))
	if err != nil {
		return nil, "", err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, "", err
	}
	byName, err := r.parse(data)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	var servers []server
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		s := byName[name]
		s.Name = name
		servers = append(servers, s)
	}
	return servers, path, nil
}
