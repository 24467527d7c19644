package cmd

import (
	"fmt"
	"strings"

	"heretic/cmd/internal/ui"
	"heretic/mcpconf"
	"heretic/session"
)

// printPlan is the answer of --dry-run.
func (a *App) printPlan(plan session.Plan, notes []mcpconf.Note, asJSON bool) error {
	view := plan.View()
	view.Notes = append(notes, view.Notes...)
	if asJSON {
		return a.IO.JSON(view)
	}
	a.printNotes(view.Notes)
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-12s %s\n", name, ui.Clean(fmt.Sprintf(format, args...)))
	}
	list := func(name string, items []string) {
		for i, item := range items {
			if i > 0 {
				name = ""
			}
			line(name, "%s", item)
		}
	}
	line("agent", "%s (%s)", view.Agent, view.AgentType)
	line("session", "%s", view.Session)
	line("container", "%s", view.Container)
	line("image", "%s (pull: %s)", view.Image, view.Pull)
	line("project", "%s", view.Project)
	if len(view.Entrypoint) > 0 {
		line("entrypoint", "%s", strings.Join(quoted(view.Entrypoint), " "))
	}
	if len(view.Command) > 0 {
		line("command", "%s", strings.Join(quoted(view.Command), " "))
	}
	line("workdir", "%s", view.Workdir)
	if view.User != "" {
		line("user", "%s", view.User)
	}
	if view.Network != "" {
		line("network", "%s", view.Network)
	}
	list("ports", view.Ports)
	list("mounts", mountLines(view.Mounts))
	list("env", view.Env)
	list("secrets", view.Secrets)
	for i, file := range view.Files {
		name := "files"
		if i > 0 {
			name = ""
		}
		line(name, "%s (%d bytes)", file.Path, file.Size)
	}
	list("servers", serverLines(view.Servers))
	return a.IO.Print([]byte(b.String()))
}

func mountLines(mounts []session.ViewMount) []string {
	var lines []string
	for _, m := range mounts {
		text := m.Target
		if m.Source != "" {
			text = m.Source + " -> " + m.Target
		}
		if m.Type != "bind" {
			text += " (" + m.Type + ")"
		}
		if m.ReadOnly {
			text += " (read-only)"
		}
		lines = append(lines, text)
	}
	return lines
}

func serverLines(servers []session.ServerDelivery) []string {
	var lines []string
	for _, s := range servers {
		text := fmt.Sprintf("%s (%s): %s", s.Name, s.Transport, s.Delivered)
		if len(s.At) > 0 {
			text += " at " + strings.Join(s.At, ", ")
		}
		if s.Why != "" {
			text += ": " + s.Why
		}
		lines = append(lines, text)
	}
	return lines
}

// quoted quotes the words that a shell would split or change.
func quoted(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w
		if w == "" || strings.ContainsAny(w, " \t\n\"'\\$`&|;<>()*?[]{}#!~") {
			out[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return out
}
