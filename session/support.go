package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/tailscale/hujson"

	"heretic/mcpconf/target"
	"heretic/profile"
	"heretic/runner"
	"heretic/session/internal/store"
)

// Describer is what a report needs of an engine.
type Describer interface {
	Describe(ctx context.Context, id string) (runner.Description, error)
	Logs(ctx context.Context, id string, o runner.LogsOptions) error
}

// Report is what there is to know about a session, for a bug ticket: without
// the values of variables, and without what the generated file holds of
// headers, variables and arguments.
type Report struct {
	Session   Session
	Container runner.Description // words masked, Env names only
	Generated []GeneratedFile
	Log       string // the last lines
}

// GeneratedFile is a file that heretic wrote for the agent.
type GeneratedFile struct {
	Name string // below the session directory
	Text string // redacted
}

// logTail is how many lines of a log are in a report.
const logTail = "50"

// shortestHidden is the length from which a value is looked for in a log: "1"
// is everywhere.
const shortestHidden = 6

// maxLog bounds a log without line ends.
const maxLog = 64 << 10

// NewReport looks at a session, running or ended.
func NewReport(ctx context.Context, eng Describer, s Session) (Report, error) {
	d, err := eng.Describe(ctx, s.Container.ID)
	if err != nil {
		return Report{}, err
	}
	r := Report{Session: s, Container: d}
	var hidden []string
	r.Container.Env = nil
	for _, e := range d.Env {
		name, value, _ := strings.Cut(e, "=")
		r.Container.Env = append(r.Container.Env, name)
		if len(value) >= shortestHidden && !slices.Contains(harmless(), name) && !strings.HasPrefix(name, "GIT_CONFIG_") {
			hidden = append(hidden, value)
		}
	}
	red := &redactor{hidden: hidden}
	if r.Generated, err = red.files(s); err != nil {
		return Report{}, err
	}
	var log bytes.Buffer
	if err := eng.Logs(ctx, s.Container.ID, runner.LogsOptions{Tail: logTail, Out: &log, Err: &log}); err != nil {
		return Report{}, err
	}
	// Cut before, a value could stand there by half.
	text := red.hide(log.String())
	r.Log = text[max(0, len(text)-maxLog):]
	r.Container.Error = red.hide(d.Error)
	for _, words := range [][]string{r.Container.Entrypoint, r.Container.Cmd} {
		for i := range words {
			words[i] = red.hide(words[i])
		}
	}
	return r, nil
}

// harmless are variables whose values are no secrets and turn up everywhere.
func harmless() []string {
	return []string{"PATH", "HOME", "TERM", "COLORTERM", "LANG", "TZ", "PWD", "CLAUDE_CONFIG_DIR", "IS_SANDBOX"}
}

// redactor takes secrets out of text; what it redacts in one it remembers for
// the next.
type redactor struct{ hidden []string }

func (r *redactor) hide(s string) string { return profile.Hide(s, r.hidden) }

// files reads the generated files of a session. What an agent's own settings
// hold is not looked at.
func (r *redactor) files(s Session) ([]GeneratedFile, error) {
	st, err := store.OpenExisting(s.Project)
	if st == nil || err != nil {
		return nil, err
	}
	defer st.Close()
	row, ok := target.Lookup(s.AgentType)
	if !ok || row.Delivery == target.HomeMerge {
		return nil, nil
	}
	name := generatedName(row)
	data, err := store.ReadRegular(st.Temp(), path.Join(s.Name, name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return []GeneratedFile{{Name: name, Text: err.Error()}}, nil
	}
	return []GeneratedFile{{Name: name, Text: r.json(data)}}, nil
}

// json redacts a document: names and structure stay.
func (r *redactor) json(data []byte) string {
	v, err := hujson.Parse(data)
	if err != nil {
		return fmt.Sprintf("%d bytes that are not JSON", len(data))
	}
	r.value(&v, "")
	return string(v.Pack())
}

// variables is the key for all that is below env and headers, whose own keys
// are anybody's choice.
const variables = "env"

// value redacts below the key that holds it.
func (r *redactor) value(v *hujson.Value, key string) {
	v.BeforeExtra, v.AfterExtra = noComments(v.BeforeExtra), noComments(v.AfterExtra)
	switch t := v.Value.(type) {
	case *hujson.Object:
		t.AfterExtra = noComments(t.AfterExtra)
		for i := range t.Members {
			m := &t.Members[i]
			m.Name.BeforeExtra, m.Name.AfterExtra = noComments(m.Name.BeforeExtra), noComments(m.Name.AfterExtra)
			name, _ := m.Name.Value.(hujson.Literal)
			below := name.String()
			if key == variables || below == "headers" {
				below = variables
			}
			r.value(&m.Value, below)
		}
	case *hujson.Array:
		t.AfterExtra = noComments(t.AfterExtra)
		if key == variables {
			key = "" // a list of {name, value}
		}
		for i := range t.Elements {
			r.value(&t.Elements[i], key)
		}
	case hujson.Literal:
		if t.Kind() == '"' {
			v.Value = hujson.String(r.text(t.String(), key))
		}
	}
}

func noComments(e hujson.Extra) hujson.Extra {
	if bytes.ContainsRune(e, '/') {
		return nil
	}
	return e
}

func (r *redactor) text(s, key string) string {
	switch key {
	case "command", "type", "name", "tools":
		return r.hide(s)
	case "args":
		if strings.HasPrefix(s, "-") && !strings.Contains(s, "=") {
			return r.hide(s)
		}
	case "url":
		if shown := profile.MaskText(s); !strings.Contains(shown, profile.Mask) {
			return r.hide(shown)
		}
	}
	r.remember(s)
	if key == "url" {
		return profile.MaskText(s)
	}
	return profile.Mask
}

// remember hides a value, and the words of it: what follows "Bearer", or
// stands behind the = of a flag or of a query.
func (r *redactor) remember(s string) {
	cut := func(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune("=&?", c) }
	for _, part := range append(strings.FieldsFunc(s, cut), s) {
		if len(part) >= shortestHidden {
			r.hidden = append(r.hidden, part)
		}
	}
}

// WriteTo writes the report for people to read.
func (r Report) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-12s %s\n", name, fmt.Sprintf(format, args...))
	}
	s, d := r.Session, r.Container
	line("session", "%s (agent %s, %s)", s.Name, s.Agent, s.AgentType)
	line("project", "%s -> %s", s.Project, s.Workspace)
	line("container", "%s: %s", s.Container.Name, s.Container.Status)
	if d.Error != "" {
		line("error", "%s", d.Error)
	}
	if d.OutOfMemory {
		line("memory", "the kernel killed a process for want of memory")
	}
	line("image", "%s", s.Container.Image)
	words := func(list []string) string { data, _ := json.Marshal(list); return string(data) }
	if len(d.Entrypoint) > 0 {
		line("entrypoint", "%s", words(d.Entrypoint))
	}
	if len(d.Cmd) > 0 {
		line("command", "%s", words(d.Cmd))
	}
	line("workdir", "%s", d.WorkingDir)
	line("user", "%q", d.User)
	line("tty", "%t", d.TTY)
	line("network", "%s", d.Network)
	for _, m := range d.Mounts {
		ro := ""
		if m.ReadOnly {
			ro = " (read-only)"
		}
		line("mount", "%s %s -> %s%s", m.Type, m.Source, m.Target, ro)
	}
	line("env", "%s", strings.Join(d.Env, " "))
	for _, f := range r.Generated {
		fmt.Fprintf(&b, "\n%s, redacted:\n%s", f.Name, f.Text)
	}
	if r.Log != "" {
		fmt.Fprintf(&b, "\nlast lines of the log, redacted:\n%s\n", strings.TrimRight(r.Log, "\n"))
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}
