package session

import (
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"heretic/mcpconf/target"
	"heretic/runner"
	"heretic/session/home"
)

// HomePlan is the agent home of a session: what is mounted below every home
// that the container's user may have, and what is set in it.
type HomePlan struct {
	Dirs     []string // below a home
	Homes    []string // in the container, the user's own first
	User     home.User
	Seeds    []home.Seed
	Settings []home.Setting
	Servers  *home.Servers
}

// agentHome plans the directories that the agent keeps things in.
func (b *planner) agentHome() {
	t := b.Target
	if len(t.HomeDirs) == 0 {
		return
	}
	h := &HomePlan{Dirs: t.HomeDirs, Homes: b.homes(), User: b.f.User, Settings: b.settings(), Servers: b.serversPart}
	if t.Delivery == target.HomeFile {
		// The file mount needs something to land on that is the user's.
		h.Seeds = []home.Seed{{Name: t.Path, Data: []byte("{\"mcpServers\": {}}\n")}}
	}
	b.p.Home = h
	if b.f.ImageMissing || !b.f.User.Known {
		b.note("the image's user was not looked up: the homes are assumed")
	}
	for _, at := range h.Homes {
		for _, dir := range h.Dirs {
			place := path.Join(at, dir)
			if !b.mount(runner.Mount{Type: runner.Bind, Source: b.sessionFile("home", dir), Target: place}) {
				b.note("a volume of the profile takes the place of the agent home %s: nothing is set or approved there", place)
			}
		}
	}
}

// settings are the keys that this launch sets in the agent's own files.
func (b *planner) settings() []home.Setting {
	var all []home.Setting
	for _, s := range b.Target.Settings {
		value, ok := b.settingValue(s)
		if !ok {
			continue
		}
		key := make([]string, len(s.Key))
		for i, k := range s.Key {
			key[i] = b.expand(k)
		}
		all = append(all, home.Setting{File: s.File, Key: key, Value: value, Union: s.Union, Default: s.Default})
	}
	return mergeSettings(append(all, b.userSettings()...))
}

func (b *planner) settingValue(s target.Setting) (any, bool) {
	key := b.apiKey()
	switch {
	case s.When == target.WhenTrusted && !b.p.Trusted,
		s.When == target.WhenApproved && !b.Approved,
		s.When == target.WhenAPIKey && key == "":
		return nil, false
	}
	text, ok := s.Value.(string)
	switch {
	case !ok:
		return s.Value, true
	case text == "{servers}":
		return b.delivered(), true
	case text == "{apikey20}":
		return key[max(0, len(key)-20):], true
	}
	return b.expand(text), true
}

// delivered are the names of the generated servers that reach the agent.
func (b *planner) delivered() []any {
	names := []any{}
	for _, s := range b.p.Servers {
		if s.Delivered == AsFile || s.Delivered == AsSettings {
			names = append(names, s.Name)
		}
	}
	return names
}

func (b *planner) apiKey() string {
	name := b.Target.APIKeyEnv
	if name == "" {
		return ""
	}
	for _, e := range slices.Backward(b.p.Spec.Env) {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			return v
		}
	}
	return ""
}

// userSettings lays a profile's claude_settings over the agent's: lists are
// united, objects merged one level deep, all else replaced.
func (b *planner) userSettings() []home.Setting {
	file := b.Target.UserSettings
	if len(b.Profile.ClaudeSettings) == 0 {
		return nil
	}
	if file == "" {
		b.note("claude_settings are not used by %s", b.Target.Title)
		return nil
	}
	var all []home.Setting
	for _, k := range sortedKeys(b.Profile.ClaudeSettings) {
		switch v := b.Profile.ClaudeSettings[k].(type) {
		case map[string]any:
			for _, sub := range sortedKeys(v) {
				all = append(all, home.Setting{File: file, Key: []string{k, sub}, Value: v[sub]})
			}
		case []any:
			all = append(all, home.Setting{File: file, Key: []string{k}, Value: v, Union: true})
		default:
			all = append(all, home.Setting{File: file, Key: []string{k}, Value: v})
		}
	}
	return all
}

// mergeSettings joins settings of one key that unite lists, so that a later
// one does not take out what an earlier one put in.
func mergeSettings(all []home.Setting) []home.Setting {
	var merged []home.Setting
	for _, s := range all {
		i := slices.IndexFunc(merged, func(o home.Setting) bool {
			return o.File == s.File && slices.Equal(o.Key, s.Key) && o.Union && s.Union
		})
		if i < 0 {
			merged = append(merged, s)
			continue
		}
		have := asList(merged[i].Value)
		for _, v := range asList(s.Value) {
			if !slices.ContainsFunc(have, func(o any) bool { return reflect.DeepEqual(o, v) }) {
				have = append(have, v)
			}
		}
		merged[i].Value = have
	}
	return merged
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

func asList(v any) []any {
	if list, ok := v.([]any); ok {
		return slices.Clone(list)
	}
	return []any{v}
}
