package cmd

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"heretic/mcpconf"
	"heretic/mcpconf/target"
	"heretic/profile"
)

// checked is one agent, or one file, in the output of agents validate --json.
type checked struct {
	Name   string    `json:"name"`
	Files  []string  `json:"files"`
	OK     bool      `json:"ok"`
	Errors []problem `json:"errors"`
	// Notes are about what is read, but not used.
	Notes []mcpconf.Note `json:"notes,omitempty"`

	err error
}

// problem is one error with its place.
type problem struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Key     string `json:"key,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

func newAgentsValidate(a *App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "validate [<agent> | <file>]... [--json]",
		Short: "Check profiles without running anything",
		Long: `Check profiles: the global ones, and with them what this project changes. All
errors are printed, with file, line and column. Nothing is run and nothing is
contacted. Without names, every profile is checked.`,
		Args:                  cobra.ArbitraryArgs,
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     a.completeAgents,
		RunE: func(_ *cobra.Command, args []string) error {
			return runAgentsValidate(a, args, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

func runAgentsValidate(a *App, names []string, asJSON bool) error {
	loader, err := a.profiles()
	if err != nil {
		return err
	}
	var results []checked
	for _, name := range names {
		if strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") {
			results = append(results, checkFile(loader, name))
		} else {
			results = append(results, checkAgent(loader, name))
		}
	}
	if len(names) == 0 {
		entries, err := loader.List()
		if err != nil {
			return err
		}
		for _, e := range entries {
			results = append(results, checkAgent(loader, e.Name))
		}
	}
	return a.reportChecked(results, asJSON)
}

// reportChecked prints the results, and fails when one of them is an error.
func (a *App) reportChecked(results []checked, asJSON bool) error {
	var errs []error
	for i := range results {
		r := &results[i]
		r.OK, r.Errors, r.Files = r.err == nil, problems(r.err), orEmpty(r.Files)
		if r.err != nil {
			errs = append(errs, r.err)
		}
	}
	if asJSON {
		if err := a.IO.JSON(orEmpty(results)); err != nil || len(errs) == 0 {
			return err
		}
		return &exitError{exitFailure}
	}
	if len(results) == 0 {
		a.IO.Say("No profiles.")
	}
	for _, r := range results {
		a.printNotes(r.Notes)
	}
	var rows [][]string
	for _, r := range results {
		if r.OK {
			rows = append(rows, []string{r.Name, "ok", strings.Join(r.Files, ", ")})
		}
	}
	if len(rows) > 0 {
		if err := a.IO.Table([]string{"NAME", "STATE", "FILES"}, rows); err != nil {
			return err
		}
	}
	return errors.Join(errs...)
}

// checkAgent checks all layers of an agent.
func checkAgent(loader profile.Loader, name string) checked {
	r := checked{Name: name}
	merged, err := loader.Merge(name, profile.Options{})
	if err != nil {
		r.err = err
		return r
	}
	for _, layer := range merged.Layers {
		if layer.File != "" {
			r.Files = append(r.Files, layer.File)
		}
	}
	r.Notes, r.err = merged.Notes(), errors.Join(merged.CheckScripts(), renders(merged))
	return r
}

// renders tells whether the agent can be given the servers. Their variables
// have no values here.
func renders(m *profile.Merged) error {
	row, _ := target.Lookup("claude")
	if v, ok := m.Get("agent_type"); ok {
		if row, ok = target.Lookup(v.Node.Value); !ok {
			return nil // a variable
		}
	}
	var servers []mcpconf.Server
	for _, s := range m.Servers {
		plain, err := s.Map(func(_, value string, _ mcpconf.Pos) (string, error) {
			return strings.ReplaceAll(value, "${", ""), nil
		})
		if err != nil {
			return err
		}
		servers = append(servers, plain)
	}
	_, err := mcpconf.Render(row.Form, servers, mcpconf.RenderOptions{})
	return err
}

// checkFile checks one file by itself.
func checkFile(loader profile.Loader, path string) checked {
	r := checked{Name: path, Files: []string{path}}
	data, err := readFile(path)
	if errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("no such file: %q", path)
	}
	if err == nil {
		r.Notes, err = loader.Validate(path, data, false)
	}
	r.err = err
	return r
}

// problems lists errors with their places.
func problems(err error) []problem {
	list := []problem{}
	if err == nil {
		return list
	}
	for _, e := range messages(err) {
		p := problem{Message: e.Error()}
		if placed, ok := errors.AsType[*profile.Error](e); ok {
			p = problem{File: placed.Pos.File, Line: placed.Pos.Line, Column: placed.Pos.Col, Key: placed.Path, Message: placed.Msg, Hint: placed.Hint()}
		} else if all := hints(e); len(all) > 0 {
			p.Hint = strings.Join(all, "; ")
		}
		list = append(list, p)
	}
	return slices.Clip(list)
}
