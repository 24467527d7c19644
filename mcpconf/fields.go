package mcpconf

import (
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"heretic/mcpconf/internal/doc"
)

type fieldHandler func(e *entry, key string, n *yaml.Node) error

// fieldHandlers are the rows of fields, by every name that a client gives
// them.
func fieldHandlers() map[string]fieldHandler {
	node := func(to func(*entry) **yaml.Node) fieldHandler {
		return func(e *entry, key string, n *yaml.Node) error {
			if p := to(e); *p == nil && !isNull(n) {
				*p = n
			}
			return nil
		}
	}
	args := node(func(e *entry) **yaml.Node { return &e.args })
	word := node(func(e *entry) **yaml.Node { return &e.word })
	env := func(e *entry, _ string, n *yaml.Node) error { return e.vars("env", n, &e.s.Env) }
	headers := func(e *entry, _ string, n *yaml.Node) error { return e.vars("headers", n, &e.s.Headers) }
	tools := func(e *entry, key string, n *yaml.Node) error { return e.tools(key, n) }
	exclude := func(e *entry, key string, n *yaml.Node) (err error) {
		e.s.ExcludeTools, err = e.texts(key, n)
		return err
	}
	rows := []struct {
		names  string
		handle fieldHandler
	}{
		{"type transportType", word},
		{"transport", func(e *entry, key string, n *yaml.Node) error {
			if n.Kind == yaml.MappingNode {
				return e.fields(n, key+".")
			}
			return word(e, key, n)
		}},
		{"command cmd", (*entry).commandField},
		{"args arguments", args},
		{"url serverUrl uri endpoint", func(e *entry, key string, n *yaml.Node) error { return e.urlField(n, "") }},
		{"httpUrl", func(e *entry, key string, n *yaml.Node) error { return e.urlField(n, HTTP) }},
		{"env environment envs envVars", env},
		{"env_vars env_keys", (*entry).passedEnv},
		{"headers http_headers httpHeaders", headers},
		{"requestOptions", func(e *entry, key string, n *yaml.Node) error { return e.fields(n, key+".") }},
		{"env_http_headers", (*entry).envHeaders},
		{"bearer_token_env_var", (*entry).bearerToken},
		{"cwd", func(e *entry, key string, n *yaml.Node) (err error) {
			if !isNull(n) {
				e.s.Cwd, err = e.text("cwd", n)
			}
			return err
		}},
		{"disabled", func(e *entry, key string, n *yaml.Node) error { return e.flag(key, n, true) }},
		{"enabled", func(e *entry, key string, n *yaml.Node) error { return e.flag(key, n, false) }},
		{"tools includeTools available_tools enabled_tools", tools},
		{"excludeTools disabledTools disabled_tools", exclude},
		{"timeout", func(e *entry, key string, n *yaml.Node) error {
			return e.duration(key, n, e.dialect.unit, &e.s.Timeout)
		}},
		{"tool_timeout_sec", func(e *entry, key string, n *yaml.Node) error {
			return e.duration(key, n, time.Second, &e.s.Timeout)
		}},
		{"startup_timeout_sec", func(e *entry, key string, n *yaml.Node) error {
			return e.duration(key, n, time.Second, &e.s.StartupTimeout)
		}},
		{"startup_timeout_ms", func(e *entry, key string, n *yaml.Node) error {
			return e.duration(key, n, time.Millisecond, &e.s.StartupTimeout)
		}},
		{"auth oauth", (*entry).auth},
	}
	handlers := map[string]fieldHandler{}
	for _, r := range rows {
		for name := range strings.FieldsSeq(r.names) {
			handlers[name] = r.handle
		}
	}
	return handlers
}

// isRemark tells keys that say nothing about how a server runs.
func isRemark(key string) bool {
	switch key {
	case "name", "id", "description", "title", "source", "icon", "gallery", "version", "homepage", "bundled", "$schema":
		return true
	}
	return strings.HasPrefix(key, "_") || strings.HasPrefix(key, "//")
}

// commandField reads a command: a string, a whole command line as a list, or
// Zed's {path, args, env}.
func (e *entry) commandField(key string, n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		if e.command == nil && !isNull(n) {
			e.command = n
		}
		return nil
	}
	for k, v := range pairs(n) {
		switch k.Value {
		case "path":
			e.command = v
		case "args":
			e.args = v
		case "env":
			if err := e.vars("env", v, &e.s.Env); err != nil {
				return err
			}
		default:
			e.note(key+"."+k.Value, k, "unknown key, ignored")
		}
	}
	return nil
}

// urlField keeps the first url, but one whose key names the transport wins.
func (e *entry) urlField(n *yaml.Node, is Transport) error {
	if isNull(n) || e.url != nil && is == "" {
		return nil
	}
	e.url, e.urlIs = n, is
	return nil
}

// passedEnv reads names of variables that the server gets from its client's
// environment.
func (e *entry) passedEnv(key string, n *yaml.Node) error {
	if isNull(n) {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		return e.fail(key, n, "expected a list, found %s", kindOf(n))
	}
	for _, c := range n.Content {
		name := c
		if v := value(c, "name"); v != nil {
			name = v
		}
		if !isText(name) {
			return e.fail(key, c, "expected the name of a variable, found %s", kindOf(c))
		}
		if e.s.Env.has(name.Value) {
			continue
		}
		if err := e.setVar("env", c, name.Value, reference(name), &e.s.Env); err != nil {
			return err
		}
	}
	return nil
}

// envHeaders reads headers whose values are names of variables.
func (e *entry) envHeaders(key string, n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return e.fail(key, n, "expected a map, found %s", kindOf(n))
	}
	for k, v := range pairs(n) {
		if !isText(v) {
			return e.fail(key+"."+k.Value, v, "expected the name of a variable, found %s", kindOf(v))
		}
		if err := e.setVar("headers", k, k.Value, reference(v), &e.s.Headers); err != nil {
			return err
		}
	}
	return nil
}

func (e *entry) bearerToken(key string, n *yaml.Node) error {
	if !isText(n) {
		return e.fail(key, n, "expected the name of a variable, found %s", kindOf(n))
	}
	v := reference(n)
	v.Value = "Bearer " + v.Value
	return e.setVar("headers", n, "Authorization", v, &e.s.Headers)
}

// reference is the variable that a node names.
func reference(n *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: doc.TagString, Value: "${" + n.Value + "}", Line: n.Line, Column: n.Column}
}

func (e *entry) flag(key string, n *yaml.Node, disabled bool) error {
	if isNull(n) {
		return nil
	}
	b, err := strconv.ParseBool(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil {
		return e.fail(key, n, "expected true or false, found %s", kindOf(n))
	}
	if b == disabled {
		e.s.Disabled = true
	}
	return nil
}

// tools reads the allow list; "*" means all.
func (e *entry) tools(key string, n *yaml.Node) error {
	if isNull(n) || isText(n) && n.Value == "*" {
		return nil
	}
	list, err := e.texts(key, n)
	if err != nil || len(list) == 1 && list[0] == "*" {
		return err
	}
	e.s.Tools = list
	return nil
}

// duration reads a number of units. Without a unit it is a guess: no client
// has limits below a second, and none has hours.
func (e *entry) duration(key string, n *yaml.Node, unit time.Duration, into *time.Duration) error {
	if isNull(n) {
		return nil
	}
	f, err := strconv.ParseFloat(n.Value, 64)
	if n.Kind != yaml.ScalarNode || err != nil || f < 0 || f > 1e9 {
		return e.fail(key, n, "expected a number, found %s", kindOf(n))
	}
	if unit == 0 {
		unit = time.Second
		if f >= 1000 {
			unit = time.Millisecond
		}
		e.note(key, n, "read as %s", time.Duration(f*float64(unit)))
	}
	*into = time.Duration(f * float64(unit))
	return nil
}

// auth turns a declared key into a header; another way to log in is noted
// when the entry is complete.
func (e *entry) auth(key string, n *yaml.Node) error {
	mode, header, secret := value(n, "mode"), value(n, "headerName"), value(n, "key")
	if mode == nil || !strings.EqualFold(mode.Value, "apiKey") {
		if !isNull(n) && n.Value != "false" {
			e.login = n
		}
		return nil
	}
	if header == nil || secret == nil || !isText(header) {
		return e.fail(key, n, "mode apiKey needs 'headerName' and 'key'")
	}
	return e.setVar("headers", header, header.Value, secret, &e.s.Headers)
}
