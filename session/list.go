package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"heretic/runner"
)

// Session is a session that has a container, live or not.
type Session struct {
	Name, Agent, AgentType string
	Project, Workspace     string
	DetachKeys             string
	Container              runner.Container
}

// Lister is the part of an engine that [List] needs.
type Lister interface {
	List(ctx context.Context, labels map[string]string, all bool) ([]runner.Container, error)
}

// List returns the sessions of a project, or of every project when project is
// empty, sorted by project and name. They are found by label.
func List(ctx context.Context, eng Lister, project string) ([]Session, error) {
	labels := map[string]string{LabelManaged: "true"}
	if project != "" {
		labels[LabelProject] = project
	}
	containers, err := eng.List(ctx, labels, true)
	if err != nil {
		return nil, err
	}
	sessions := make([]Session, 0, len(containers))
	for _, c := range containers {
		l := c.Labels
		if l[LabelSession] == "" {
			continue // a helper that a killed heretic left
		}
		sessions = append(sessions, Session{
			Name: l[LabelSession], Agent: l[LabelAgent], AgentType: l[LabelAgentType],
			Project: l[LabelProject], Workspace: l[LabelWorkspace], DetachKeys: l[LabelDetachKeys],
			Container: c,
		})
	}
	slices.SortFunc(sessions, func(a, b Session) int {
		return cmp.Or(cmp.Compare(a.Project, b.Project), cmp.Compare(a.Name, b.Name))
	})
	return sessions, nil
}

// Find picks one of the sessions by name, or the only live one when name is
// empty.
func Find(sessions []Session, name string) (Session, error) {
	if name != "" {
		for _, s := range sessions {
			if s.Name == name {
				return s, nil
			}
		}
		return Session{}, withHint("heretic ps", "no session %q in this project%s", name, known(sessions))
	}
	live := slices.DeleteFunc(slices.Clone(sessions), func(s Session) bool { return !s.Container.Live() })
	switch len(live) {
	case 0:
		return Session{}, withHint("heretic run AGENT", "no session is running in this project%s", known(sessions))
	case 1:
		return live[0], nil
	}
	return Session{}, withHint("name one of them", "several sessions are running in this project%s", known(live))
}

func known(sessions []Session) string {
	if len(sessions) == 0 {
		return ""
	}
	var names []string
	for _, s := range sessions {
		names = append(names, s.Name)
	}
	return fmt.Sprintf(" (there is %s)", strings.Join(names, ", "))
}
