package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"heretic/cmd/internal/ui"
	"heretic/mcpconf/target"
	"heretic/profile"
	"heretic/profile/trust"
)

// approval is what the user stands behind in one launch.
type approval struct {
	servers bool // the agent need not ask for any server
	folder  bool // what the project activates in the agent is approved
}

// trustNow tells whether the command line or the environment approves what
// the project asks for, this time.
func (a *App) trustNow(flag bool) bool {
	value, _ := a.Lookup("HERETIC_TRUST")
	return flag || value == "1"
}

// approve makes sure that the user stands behind what the project's own text
// asks for, before anything of it takes effect. On a terminal it asks.
func (a *App) approve(ctx context.Context, m *profile.Merged, project string, now bool) (approval, error) {
	powers, err := powersOf(m, project)
	if err != nil {
		return approval{}, err
	}
	decision := trust.Grant(powers)
	if !a.trustNow(now) {
		store, err := a.trustStore()
		if err != nil {
			return approval{}, err
		}
		if decision, err = store.Compare(project, m.Name, powers); err != nil {
			return approval{}, err
		}
		if !decision.Approved() {
			if err := a.askApproval(ctx, m.Name, decision); err != nil {
				return approval{}, err
			}
			if err := store.Approve(project, m.Name, powers); err != nil {
				return approval{}, err
			}
			decision = trust.Grant(powers)
		}
	}
	return approval{
		servers: decision.GrantedAll(powers, trust.ServerKind),
		folder:  decision.GrantedAll(powers, trust.FolderKind),
	}, nil
}

func (a *App) trustStore() (trust.Store, error) {
	home, err := a.HereticHome()
	return trust.Store{HereticHome: home}, err
}

// powersOf is all that the project asks for: in its profile, and by the files
// that the agent obeys once it trusts the folder.
func powersOf(m *profile.Merged, project string) ([]trust.Power, error) {
	powers := trust.Powers(m)
	if project == "" {
		return powers, nil
	}
	row, _ := target.Lookup("claude")
	if v, ok := m.Get("agent_type"); ok {
		row, _ = target.Lookup(v.Node.Value)
	}
	folder, err := trust.Folder(project, row.Activates)
	return append(powers, folder...), err
}

// maxShown is how many lines of what is asked for are shown before a question.
const maxShown = 50

// askApproval shows what is asked for and asks the user; where nobody can be
// asked, or the answer is no, it is an approvalError.
func (a *App) askApproval(ctx context.Context, agent string, d trust.Decision) error {
	list := powerLines(d)
	if more := len(list) - maxShown; more > 0 {
		list = append(list[:maxShown:maxShown], fmt.Sprintf("... and %d more; all of them: heretic trust %s --dry-run", more, agent))
	}
	prompter, err := a.IO.Prompter()
	if errors.Is(err, ui.ErrNoTerminal) {
		return &approvalError{
			text: "this project asks for what needs your approval:\n" + strings.Join(list, "\n"),
			hint: fmt.Sprintf("approve it with: heretic trust %s; or %s", agent, without(agent, d)),
		}
	}
	if err != nil {
		return err
	}
	defer prompter.Close()
	prompter.Print("This project asks, for the agent %s:\n  %s\n", agent, strings.Join(list, "\n  "))
	yes, err := prompter.Confirm(ctx, "Allow it, until it changes?", false)
	if err != nil {
		return err
	}
	if !yes {
		return &approvalError{text: "not approved", hint: without(agent, d)}
	}
	return nil
}

// without is how to go on without the approval.
func without(agent string, d trust.Decision) string {
	if !slices.ContainsFunc(d.Asks, func(p trust.Power) bool { return !p.Override }) {
		return "leave it out: --no-local"
	}
	return "take it out of your profile, which uses it from this project: heretic agents edit " + agent
}

// powerLines shows what is asked for, and what no longer is.
func powerLines(d trust.Decision) []string {
	var lines []string
	for _, p := range d.Asks {
		lines = append(lines, powerLine(p))
	}
	for _, p := range d.Gone {
		lines = append(lines, "(no longer: "+powerLine(p)+")")
	}
	return lines
}

func powerLine(p trust.Power) string {
	line := p.Path + ": " + p.What
	if p.Pos.Line > 0 {
		line += " (" + p.Pos.String() + ")"
	}
	return ui.Clean(line)
}

// writing remembers what was approved before heretic writes an override at
// the user's command, so that what it adds can be approved, and nothing else.
type writing struct {
	loader   profile.Loader
	store    trust.Store
	agent    string
	before   []trust.Power
	decision trust.Decision
}

func (a *App) beforeWriting(loader profile.Loader, agent string) (*writing, error) {
	w := &writing{loader: loader, store: trust.Store{HereticHome: loader.HereticHome}, agent: agent}
	if m, err := loader.Merge(agent, profile.Options{}); err == nil {
		if w.before, err = powersOf(m, loader.Project); err != nil {
			return nil, err
		}
	}
	var err error
	w.decision, err = w.store.Compare(loader.Project, agent, w.before)
	return w, err
}

// approve records what was approved before and what is new since.
func (w *writing) approve() error {
	m, err := w.loader.Merge(w.agent, profile.Options{})
	if err != nil {
		return err
	}
	after, err := powersOf(m, w.loader.Project)
	if err != nil {
		return err
	}
	known := func(p trust.Power) bool {
		return slices.ContainsFunc(w.before, func(q trust.Power) bool { return q.Digest == p.Digest })
	}
	approved := slices.DeleteFunc(after, func(p trust.Power) bool { return known(p) && !w.decision.Granted(p) })
	return w.store.Approve(w.loader.Project, w.agent, approved)
}
