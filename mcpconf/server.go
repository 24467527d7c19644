package mcpconf

import (
	"fmt"
	"time"
)

// Transport is how a client talks to a server.
type Transport string

// The transports of the neutral form. Every dialect's spelling is read into
// one of them.
const (
	Stdio Transport = "stdio"
	HTTP  Transport = "http"
	SSE   Transport = "sse"
	WS    Transport = "ws"
)

// Server is one MCP server in the neutral form.
type Server struct {
	Name string    `json:"name"`
	Type Transport `json:"type"`

	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	Cwd     string   `json:"cwd,omitempty"`
	URL     string   `json:"url,omitempty"`
	Headers Vars     `json:"headers,omitempty"`
	Env     Vars     `json:"env,omitempty"`

	// Tools is the allow list of tools; nil means all, empty means none.
	Tools []string `json:"tools,omitempty"`
	// ExcludeTools are the tools that are hidden from the agent.
	ExcludeTools []string `json:"excludeTools,omitempty"`
	// StartupTimeout and Timeout bound the start and one call; zero leaves
	// the agent's default.
	StartupTimeout time.Duration `json:"startupTimeout,omitempty"`
	Timeout        time.Duration `json:"timeout,omitempty"`

	// Disabled servers are kept on import and left out of what is rendered.
	Disabled bool `json:"disabled,omitempty"`

	// Pos is where the server's name stands in its source.
	Pos Pos `json:"-"`

	// at is where each string value stands, by its path inside the server.
	// Copies of a server share it: it is not changed once the server is read.
	at map[string]Pos
}

// Var is one name and value of an ordered map.
type Var struct{ Name, Value string }

// Vars is a map of strings that keeps the order of its source. It marshals as
// a JSON object.
type Vars []Var

// Pos is a place in a source. Line and Col count from 1; zero is unknown.
type Pos struct {
	File      string
	Line, Col int
}

// String returns file:line:col, as far as it is known. Control characters in
// the name are escaped.
func (p Pos) String() string {
	file := printable(p.File)
	switch {
	case p.Line == 0:
		return file
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", file, p.Line)
	default:
		return fmt.Sprintf("%s:%d:%d", file, p.Line, p.Col)
	}
}

// Note is something a person should know about a server that was read or
// rendered: what was translated, split, renamed, ignored or refused.
type Note struct {
	Server string `json:"server,omitempty"`
	Field  string `json:"field,omitempty"`
	Text   string `json:"text"`
	Pos    Pos    `json:"-"`
}

// At returns the place of the string at path ("command", "args[1]",
// "env.KEY", "headers.KEY", "url", ...), or that of the server itself.
func (s Server) At(path string) Pos {
	if p, ok := s.at[path]; ok {
		return p
	}
	return s.Pos
}
