package session

import (
	"encoding/json"
	"slices"
)

// The labels of a container of heretic.
const (
	LabelManaged      = "heretic.managed" // "true"
	LabelAgent        = "heretic.agent"
	LabelAgentType    = "heretic.agent-type"
	LabelProject      = "heretic.project" // the real path
	LabelSession      = "heretic.session"
	LabelWorkspace    = "heretic.workspace"
	LabelVersion      = "heretic.version"
	LabelDetachKeys   = "heretic.detach-keys"
	LabelKeep         = "heretic.keep"         // "true": not removed when the agent has ended
	LabelHelper       = "heretic.helper"       // "true": never started, no session
	LabelPlaceholders = "heretic.placeholders" // JSON: paths below the project
)

func projectLabels(project string) map[string]string {
	return map[string]string{LabelManaged: "true", LabelProject: project}
}

func (b *planner) labels() map[string]string {
	l := map[string]string{
		LabelManaged: "true", LabelAgent: b.p.Agent, LabelAgentType: b.p.AgentType,
		LabelProject: b.p.Project, LabelSession: b.p.Session, LabelWorkspace: b.p.Workspace,
	}
	if b.Version != "" {
		l[LabelVersion] = b.Version
	}
	if b.DetachKeys != "" {
		l[LabelDetachKeys] = b.DetachKeys
	}
	if b.Keep {
		l[LabelKeep] = "true"
	}
	return l
}

func joinPlaceholders(ps []Placeholder) string {
	paths := make([]string, len(ps))
	for i, p := range ps {
		paths[i] = p.Path
	}
	data, _ := json.Marshal(paths) // strings always marshal
	return string(data)
}

// usesPlaceholder reads LabelPlaceholders. A label that cannot be read counts
// as using all: a placeholder too many is better than a config taken away.
func usesPlaceholder(label, name string) bool {
	if label == "" {
		return false
	}
	var paths []string
	if json.Unmarshal([]byte(label), &paths) != nil {
		return true
	}
	return slices.Contains(paths, name)
}
