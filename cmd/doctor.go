package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"heretic/cmd/internal/ui"
)

// severity is how bad a finding is.
type severity string

const (
	good    severity = "ok"
	note    severity = "note"
	warning severity = "warning"
	failure severity = "error"
)

// finding is one result of doctor.
type finding struct {
	Check    string   `json:"check"`   // engine, profile, image, ...
	Subject  string   `json:"subject"` // which profile, server, file
	Severity severity `json:"severity"`
	Text     string   `json:"text"`
	Fix      string   `json:"fix,omitempty"`   // the command that mends it
	Fixed    bool     `json:"fixed,omitempty"` // --fix has mended it

	mend func() error // for --fix, where it is harmless
}

// examination is one run of doctor.
type examination struct {
	app      *App
	findings []finding
}

func (x *examination) add(f finding) { x.findings = append(x.findings, f) }

// fail adds an error with the hint that it carries.
func (x *examination) fail(check, subject string, err error) {
	for _, e := range messages(err) {
		x.add(finding{Check: check, Subject: subject, Severity: failure, Text: e.Error(), Fix: strings.Join(hints(e), "; ")})
	}
}

func newDoctor(a *App) *cobra.Command {
	var fix, asJSON bool
	cmd := &cobra.Command{
		Use: "doctor [--fix] [--json]",
		Long: `Look at this machine, the profiles and this project, and print what is wrong with
the command that mends it. --fix does what is harmless. Secrets are resolved but
not printed; what a project's profile asks for is left alone until you approved
it. heretic ends with 1 when something is wrong that keeps agents from running.`,
		Args:                  takes(nil),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runDoctor(cmd.Context(), a, fix, asJSON)
		},
	}
	cmd.Flags().BoolVar(&fix, "fix", false, "mend what can be mended without harm")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

func runDoctor(ctx context.Context, a *App, fix, asJSON bool) error {
	x := &examination{app: a}
	engine := x.engine(ctx)
	x.terminal()
	x.editor()
	project := x.project(ctx, engine)
	x.agents(ctx, engine, project)
	if fix {
		x.mend()
	}
	if err := x.print(asJSON); err != nil {
		return err
	}
	for _, f := range x.findings {
		if f.Severity == failure && !f.Fixed {
			return &exitError{exitFailure}
		}
	}
	return ctx.Err()
}

// mend does what is harmless.
func (x *examination) mend() {
	for i := range x.findings {
		f := &x.findings[i]
		if f.mend == nil {
			continue
		}
		if err := f.mend(); err != nil {
			f.Text += fmt.Sprintf(" (could not be mended: %v)", err)
			continue
		}
		f.Fixed = true
	}
}

func (x *examination) print(asJSON bool) error {
	io := x.app.IO
	if asJSON {
		return io.JSON(orEmpty(x.findings))
	}
	colours := map[severity]string{good: ui.Green, note: ui.Dim, warning: ui.Yellow, failure: ui.Red}
	var errs []error
	bad := 0
	for _, f := range x.findings {
		word := string(f.Severity)
		if f.Fixed {
			word = "fixed"
		}
		subject := f.Check
		if f.Subject != "" {
			subject += " " + f.Subject
		}
		text := fmt.Sprintf("%-8s %s: %s", word, ui.Clean(subject), ui.Clean(f.Text))
		if f.Severity == good || f.Fixed {
			errs = append(errs, io.Line(colours[good], text))
			continue
		}
		bad++
		errs = append(errs, io.Line(colours[f.Severity], text))
		if f.Fix != "" {
			errs = append(errs, io.Line("", "         fix: "+f.Fix))
		}
	}
	if bad == 0 {
		io.Say("Nothing is wrong.")
	}
	return errors.Join(errs...)
}
