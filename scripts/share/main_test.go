package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"heretic/cmd"
)

// TestManual: each command has a page that has its words.
func TestManual(t *testing.T) {
	dir := t.TempDir()
	if err := manual(dir); err != nil {
		t.Fatal(err)
	}
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		page, err := os.ReadFile(filepath.Join(dir, "man/man1", name))
		if err != nil {
			t.Error(err)
		}
		for _, word := range strings.Fields(c.LocalFlags().FlagUsages()) {
			if !strings.HasPrefix(word, "--") {
				continue
			}
			if !bytes.Contains(page, []byte(strings.ReplaceAll(word, "-", `\-`))) && !bytes.Contains(page, []byte(word)) {
				t.Errorf("%s has no %s", name, word)
			}
		}
		if !bytes.Contains(page, []byte(".SH SYNOPSIS")) {
			t.Errorf("%s is no manual page:\n%s", name, page)
		}
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				visit(sub)
			}
		}
	}
	visit(cmd.Command())
}

func TestCompletions(t *testing.T) {
	dir := t.TempDir()
	if err := completions(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bash-completion/completions/heretic", "zsh/site-functions/_heretic", "fish/vendor_completions.d/heretic.fish"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Contains(text, []byte(cobra.ShellCompRequestCmd)) {
			t.Errorf("%s does not ask heretic: %v", name, err)
		}
	}
}
