package home

import (
	"context"
	"errors"
	"strings"
	"testing"

	"heretic/mcpconf"
)

const passwd = "root:x:0:0:root:/root:/bin/sh\nagent:x:1000:1001::/home/agent:/bin/sh\nbad\nbare:x:7:8:::\n"
const group = "root:x:0:\nstaff:x:50:agent\n"

func TestFind(t *testing.T) {
	for user, want := range map[string]*User{
		"agent":       {Known: true, UID: 1000, GID: 1001, Home: "/home/agent"},
		"1000":        {Known: true, UID: 1000, GID: 1001, Home: "/home/agent"},
		"agent:staff": {Known: true, UID: 1000, GID: 50, Home: "/home/agent"},
		"1000:77":     {Known: true, UID: 1000, GID: 77, Home: "/home/agent"},
		"4242":        {Known: true, UID: 4242, Home: "/"},
		"bare":        {Known: true, UID: 7, GID: 8, Home: "/"},
		"nobody":      nil,
		"agent:nope":  nil,
	} {
		got, err := find(user, []byte(passwd), []byte(group))
		if want == nil {
			if err == nil {
				t.Errorf("%s: %+v", user, got)
			}
			continue
		}
		if err != nil || got != *want {
			t.Errorf("%s: %+v, %v, want %+v", user, got, err, *want)
		}
	}
	for user, root := range map[string]bool{"": true, "0": true, "root": true, "0:0": true, "root:root": true, "0:5": false, "agent": false, "1": false} {
		if _, ok := Root(user); ok != root {
			t.Errorf("Root(%q) = %v", user, ok)
		}
	}
}

// FuzzFind reads an image's files: a user is found or the error says what is
// missing, whatever an image has there.
func FuzzFind(f *testing.F) {
	f.Add("agent:staff", []byte(passwd), []byte(group))
	f.Add("1000:", []byte("a:b:-1:x:::/\n"), []byte(":::\n"))
	f.Add("agent", []byte("agent:"+strings.Repeat("x", 70_000)+":1:2::/h:\n"), []byte(nil))
	f.Fuzz(func(t *testing.T, user string, passwd, group []byte) {
		u, err := find(user, passwd, group)
		if (err == nil) != u.Known || err == nil && u.Home == "" {
			t.Errorf("%q: %+v, %v", user, u, err)
		}
	})
}

// memory is a home in memory.
type memory map[string]string

func (m memory) Read(_ context.Context, name string) ([]byte, error) {
	if m[name] == "unreadable" {
		return nil, errors.New("permission denied")
	}
	return []byte(m[name]), nil
}

func (m memory) Write(_ context.Context, name string, data []byte) error {
	m[name] = string(data)
	return nil
}

func (m memory) Where(name string) string { return "/home/" + name }

func compact(s string) string { return strings.Join(strings.Fields(s), "") }

func TestChanges(t *testing.T) {
	list := func(values ...any) Setting {
		return Setting{File: "s.json", Key: []string{"enabled"}, Value: values, Union: true}
	}
	trust := Setting{File: "s.json", Key: []string{"projects", "/w", "trusted"}, Value: true}
	model := Setting{File: "s.json", Key: []string{"model"}, Value: "m", Default: true}
	for name, c := range map[string]struct {
		old, want   string
		now, before []Setting
	}{
		"new file":                   {now: []Setting{list("a")}, want: `{"enabled":["a"]}`},
		"union keeps theirs":         {old: `{"enabled":["x"],"k":1}`, now: []Setting{list("a")}, want: `{"enabled":["x","a"],"k":1}`},
		"ours that is gone goes":     {old: `{"enabled":["x","a","b"]}`, before: []Setting{list("a", "b")}, now: []Setting{list("b")}, want: `{"enabled":["x","b"]}`},
		"not set any more":           {old: `{"enabled":["x","a"]}`, before: []Setting{list("a")}, want: `{"enabled":["x"]}`},
		"trust":                      {old: `{"k":1}`, now: []Setting{trust}, want: `{"k":1,"projects":{"/w":{"trusted":true}}}`},
		"trust taken back":           {old: `{"k":1,"projects":{"/w":{"trusted":true}}}`, before: []Setting{trust}, want: `{"k":1,"projects":{"/w":{}}}`},
		"trust that the user denied": {old: `{"projects":{"/w":{"trusted":false}}}`, before: []Setting{trust}, want: `{"projects":{"/w":{"trusted":false}}}`},
		"nothing to do":              {old: `{ "enabled": [ "a" ] } `, now: []Setting{list("a")}, before: []Setting{list("a")}, want: `{"enabled":["a"]}`},
		"a default":                  {old: `{"k":1}`, now: []Setting{model}, want: `{"k":1,"model":"m"}`},
		"a default of theirs":        {old: `{"model":"x"}`, now: []Setting{model}, before: []Setting{model}, want: `{"model":"x"}`},
		"a default taken back":       {old: `{"k":1,"model":"m"}`, before: []Setting{model}, want: `{"k":1}`},
		"a file that is not there":   {before: []Setting{list("a")}, want: ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := memory{"s.json": c.old}
			if err := (Changes{Settings: c.now, Before: c.before}).Apply(t.Context(), m); err != nil {
				t.Fatal(err)
			}
			if got := compact(m["s.json"]); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestChangesRefuseWhatTheyCannotRead(t *testing.T) {
	set := []Setting{{File: "s.json", Key: []string{"l"}, Value: []any{"a"}, Union: true}}
	for _, old := range []string{"unreadable", "{", "[]", `{"l": {}}`} {
		m := memory{"s.json": old}
		err := (Changes{Settings: set}).Apply(t.Context(), m)
		if err == nil || m["s.json"] != old {
			t.Errorf("%q: became %q, %v", old, m["s.json"], err)
		}
	}
}

func TestServersInSettings(t *testing.T) {
	m := memory{"c.toml": "model = \"x\" # mine\n"}
	servers := func(names ...string) *Servers {
		s := &Servers{File: "c.toml", Form: mcpconf.Codex}
		for _, n := range names {
			s.Servers = append(s.Servers, mcpconf.Server{Name: n, Type: mcpconf.Stdio, Command: "run-" + n})
		}
		return s
	}
	if err := (Changes{Servers: servers("a", "b")}).Apply(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if err := (Changes{Servers: servers("b"), EarlierServers: []string{"a", "b"}}).Apply(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	got := m["c.toml"]
	if !strings.HasPrefix(got, "model = \"x\" # mine\n") || !strings.Contains(got, "run-b") || strings.Contains(got, "run-a") {
		t.Errorf("got %s", got)
	}
}

// A table that is one setting goes as a whole: the agent stops at half of one.
func TestTableIsTakenBackWhole(t *testing.T) {
	provider := Setting{File: "c.toml", Key: []string{"model_providers", "p"}, Value: map[string]any{"name": "n", "env_key": "K"}, Default: true}
	const old = "model = \"x\"\n\n[features]\na = true\n"
	m := memory{"c.toml": old}
	if err := (Changes{Settings: []Setting{provider}}).Apply(t.Context(), m); err != nil || !strings.Contains(m["c.toml"], "env_key") {
		t.Fatalf("%v\n%s", err, m["c.toml"])
	}
	if err := (Changes{Before: []Setting{provider}}).Apply(t.Context(), m); err != nil || strings.Contains(m["c.toml"], ".p") || strings.Contains(m["c.toml"], "env_key") {
		t.Errorf("%v\n%s", err, m["c.toml"])
	}
}
