package mcpconf

import (
	"strconv"
	"time"

	"gopkg.in/yaml.v3"

	"heretic/mcpconf/internal/doc"
)

// NodeOf writes servers as the list that a profile's `mcp` holds; [ParseNode]
// reads it back.
func NodeOf(servers []Server) *yaml.Node {
	list := doc.List()
	for _, s := range servers {
		n := doc.Map()
		doc.Set(n, "name", doc.Str(s.Name))
		if s.Type != Stdio {
			doc.Set(n, "type", doc.Str(string(s.Type)))
			doc.Set(n, "url", doc.Str(s.URL))
			setVars(n, "headers", s.Headers)
		} else {
			doc.Set(n, "command", doc.Str(s.Command))
			setList(n, "args", s.Args)
		}
		setVars(n, "env", s.Env)
		if s.Cwd != "" {
			doc.Set(n, "cwd", doc.Str(s.Cwd))
		}
		if s.Tools != nil {
			doc.Set(n, "tools", stringList(s.Tools))
		}
		setList(n, "excludeTools", s.ExcludeTools)
		setSeconds(n, "timeout", s.Timeout)
		setSeconds(n, "startup_timeout_sec", s.StartupTimeout)
		if s.Disabled {
			doc.Set(n, "disabled", doc.Bool(true))
		}
		list.Content = append(list.Content, n)
	}
	return list
}

func setSeconds(n *yaml.Node, key string, d time.Duration) {
	if d > 0 {
		doc.Set(n, key, doc.Num(strconv.FormatFloat(d.Seconds(), 'f', -1, 64)))
	}
}
