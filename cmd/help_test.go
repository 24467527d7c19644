package cmd

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"heretic/cmd/internal/ui"
)

func testRoot(t *testing.T) *cobra.Command {
	t.Helper()
	streams, _, _, _ := ui.Test()
	return newRoot(newApp(streams), everything)
}

func eachCommand(cmd *cobra.Command, f func(*cobra.Command)) {
	f(cmd)
	for _, sub := range cmd.Commands() {
		eachCommand(sub, f)
	}
}

// TestHelpTexts holds every command to the rules of help.
func TestHelpTexts(t *testing.T) {
	eachCommand(testRoot(t), func(cmd *cobra.Command) {
		path := cmd.CommandPath()
		first, _ := utf8.DecodeRuneInString(cmd.Short)
		switch {
		case cmd.Short == "":
			t.Errorf("%s: no short help", path)
		case !unicode.IsUpper(first):
			t.Errorf("%s: short help begins with a small letter: %q", path, cmd.Short)
		case strings.HasSuffix(cmd.Short, "."):
			t.Errorf("%s: short help ends with a period", path)
		case len(cmd.Short) > 70:
			t.Errorf("%s: short help is longer than 70 characters", path)
		}
		if !cmd.HasParent() {
			return
		}
		if cmd.Parent().HasParent() == (cmd.GroupID != "") && !cmd.Hidden {
			t.Errorf("%s: exactly the commands of the first level have a group", path)
		}
		if !cmd.DisableFlagsInUseLine {
			t.Errorf("%s: DisableFlagsInUseLine is not set", path)
		}
		if cmd.Args == nil && cmd.Name() != "help" {
			t.Errorf("%s: does not say which arguments it takes", path)
		}
		if cmd.RunE == nil || cmd.Run != nil {
			t.Errorf("%s: RunE is what runs", path)
		}
		for _, text := range []string{cmd.Long, cmd.Example} {
			for line := range strings.SplitSeq(text, "\n") {
				if utf8.RuneCountInString(line) > 90 || strings.TrimRight(line, " \t") != line || strings.Contains(line, "\t") {
					t.Errorf("%s: a long, tabbed or trailing line: %q", path, line)
				}
			}
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			first, _ := utf8.DecodeRuneInString(f.Usage)
			if f.Usage == "" || unicode.IsUpper(first) || strings.HasSuffix(f.Usage, ".") {
				t.Errorf("%s --%s: help is a phrase without capital and period: %q", path, f.Name, f.Usage)
			}
		})
	})
}

// TestNoCommandShadowsFlags keeps flags from meaning two things.
func TestFlagsMeanOneThing(t *testing.T) {
	shorthands := map[string]string{}
	eachCommand(testRoot(t), func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Shorthand == "" {
				return
			}
			if old, ok := shorthands[f.Shorthand]; ok && old != f.Name {
				t.Errorf("%s: -%s is --%s here and --%s elsewhere", cmd.CommandPath(), f.Shorthand, f.Name, old)
			}
			shorthands[f.Shorthand] = f.Name
		})
	})
}

func TestHelpTopicsExist(t *testing.T) {
	for _, topic := range helpTopics() {
		text, err := helpTexts.ReadFile("help/" + topic.name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(string(text), "\n") {
			if utf8.RuneCountInString(line) > 90 {
				t.Errorf("%s: long line %q", topic.name, line)
			}
		}
	}
}

// Whatever is asked for is built whole, by each of its names; the rest is not.
func TestNeeded(t *testing.T) {
	streams, _, _, _ := ui.Test()
	var visit func(path []string, want *cobra.Command)
	visit = func(path []string, want *cobra.Command) {
		for _, args := range [][]string{
			append(slices.Clone(path), "--help"), append([]string{"-C", "dir"}, path...),
			append([]string{"help"}, path...), append([]string{"__complete"}, append(slices.Clone(path), "")...),
		} {
			root := newRoot(newApp(streams), needed(args))
			got, _, err := root.Find(path)
			if err != nil || got.CommandPath() != want.CommandPath() || got.LocalFlags().FlagUsages() != want.LocalFlags().FlagUsages() || len(got.Commands()) != len(want.Commands()) {
				t.Errorf("%q: %s is not whole: %v", args, want.CommandPath(), err)
			}
		}
		for _, sub := range want.Commands() {
			for _, name := range append([]string{sub.Name()}, sub.Aliases...) {
				visit(append(slices.Clone(path), name), sub)
			}
		}
	}
	for _, c := range testRoot(t).Commands() {
		if c.Name() == "help" {
			continue
		}
		for _, name := range append([]string{c.Name()}, c.Aliases...) {
			visit([]string{name}, c)
		}
	}
	for _, c := range newRoot(newApp(streams), needed([]string{"--help"})).Commands() {
		if c.Name() != "help" && c.HasLocalFlags() {
			t.Errorf("%s has flags, for a list of commands", c.Name())
		}
	}
	for _, args := range [][]string{{"claude"}, {"-C", "dir", "claude"}, {"__complete", "claude", ""}} {
		run, _, err := newRoot(newApp(streams), needed(args)).Find([]string{"run"})
		if err != nil || run.Flags().Lookup("session") == nil {
			t.Errorf("%q: run is not whole: %v", args, err)
		}
	}
}

func TestExpandShortForm(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"", ""},
		{"claude", "run claude"},
		{"claude -d -- x", "run claude -d -- x"},
		{"-C dir claude", "-C dir run claude"},
		{"-Cdir --verbose claude", "-Cdir --verbose run claude"},
		{"--project=d --log-file f claude", "--project=d --log-file f run claude"},
		{"version", "version"},
		{"help claude", "help claude"},
		{"--help", "--help"},
		{"-x claude", "-x claude"},
		{"__complete cla", "__complete cla"},
		{"__complete claude --", "__complete run claude --"},
		{"__complete version --", "__complete version --"},
	} {
		var args []string
		if tt.args != "" {
			args = strings.Split(tt.args, " ")
		}
		if got := strings.Join(expandShortForm(args), " "); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.args, got, tt.want)
		}
	}
}
