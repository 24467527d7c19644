package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/google/shlex"
)

// editorCommand is $VISUAL or $EDITOR with its arguments, or an editor that
// every system of the kind has.
func (a *App) editorCommand() ([]string, error) {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		value, _ := a.Lookup(name)
		if value == "" {
			continue
		}
		if _, err := exec.LookPath(value); err == nil {
			return []string{value}, nil // a path with blanks in it
		}
		words, err := shlex.Split(value)
		if err != nil || len(words) == 0 {
			return nil, withHint(fmt.Errorf("$%s is not a command: %q", name, value), "export "+name+"=vi")
		}
		return words, nil
	}
	if runtime.GOOS == "windows" {
		return []string{"notepad"}, nil
	}
	for _, name := range []string{"sensible-editor", "nano", "vi"} {
		if path, err := exec.LookPath(name); err == nil {
			return []string{path}, nil
		}
	}
	return nil, withHint(errors.New("no editor found"), "export EDITOR=<your editor>")
}

// editFile opens the user's editor on path and waits for it.
func (a *App) editFile(ctx context.Context, path string) error {
	words, err := a.editorCommand()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], path)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.IO.In, a.IO.Err, a.IO.Err
	if a.IO.OutTTY {
		cmd.Stdout = a.IO.Out
	}
	if err := cmd.Run(); err != nil {
		return withHint(fmt.Errorf("editor %q: %w", words[0], err), "set VISUAL or EDITOR to the editor you want")
	}
	return nil
}

// editText lets the user edit text in a private temporary file whose name ends
// in suffix, and returns what it was changed to.
func (a *App) editText(ctx context.Context, suffix string, text []byte) ([]byte, error) {
	dir, err := os.MkdirTemp("", "heretic-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "edit"+suffix)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return nil, err
	}
	if err := a.editFile(ctx, path); err != nil {
		return nil, err
	}
	return readFile(path)
}
