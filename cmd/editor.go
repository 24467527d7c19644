package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"heretic/cmd/internal/ui"
	"heretic/profile"
)

// editorCommand is the editor of settings.yaml, $VISUAL or $EDITOR with its
// arguments, or one that every system of the kind has.
func (a *App) editorCommand() ([]string, error) {
	settings, err := a.settings()
	if err != nil {
		return nil, err
	}
	visual, _ := a.Lookup("VISUAL")
	editor, _ := a.Lookup("EDITOR")
	for _, e := range []struct{ from, value string }{
		{settings.File + ": editor", settings.Editor}, {"$VISUAL", visual}, {"$EDITOR", editor},
	} {
		if e.value == "" {
			continue
		}
		if _, err := exec.LookPath(e.value); err == nil {
			return []string{e.value}, nil // a path with blanks in it
		}
		words, err := profile.SplitCommand(e.value)
		if err != nil || len(words) == 0 {
			return nil, withHint(fmt.Errorf("%s is not a command: %q", e.from, e.value), "export EDITOR=vi")
		}
		return words, nil
	}
	for _, name := range usualEditors(runtime.GOOS) {
		if path, err := exec.LookPath(name); err == nil {
			return []string{path}, nil
		}
	}
	return nil, withHint(errors.New("no editor found"), "export EDITOR=<your editor>")
}

// usualEditors are tried in order where the user named none.
func usualEditors(system string) []string {
	if system == "windows" {
		return []string{"notepad"}
	}
	return []string{"sensible-editor", "nano", "vi"}
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
	// The terminal sends ctrl-c to heretic as well, and many an editor has a use
	// for that key.
	a.editing.Store(true)
	defer a.editing.Store(false)
	if err := cmd.Run(); err != nil {
		return withHint(fmt.Errorf("editor %q: %w", words[0], err), "set VISUAL or EDITOR to the editor you want")
	}
	return nil
}

// edition is text that the user edits until it is right.
type edition struct {
	suffix  string // of the temporary file's name, for the editor
	comment string // what begins a comment line
	text    []byte
	// check returns what is wrong with a text, without the comments about
	// earlier errors.
	check func([]byte) error
}

// edit opens the editor on a private copy of the text and returns what became
// of it. When check fails, the editor opens again with the errors as comments
// at their lines. When the user then changes nothing, or the editor fails, so
// does edit, and names the file that still holds the text.
func (a *App) edit(ctx context.Context, e edition) (_ []byte, err error) {
	dir, err := os.MkdirTemp("", "heretic-")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "edit"+e.suffix)
	keep := false
	defer func() {
		if !keep {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	kept := func(edited []byte, cause error) error {
		keep = true
		if err := os.WriteFile(path, edited, 0o600); err != nil {
			return errors.Join(cause, err)
		}
		return withHint(cause, "what you wrote is kept in "+path)
	}
	text, shown := e.text, e.text
	for {
		if err := os.WriteFile(path, shown, 0o600); err != nil {
			return nil, err
		}
		failed := a.editFile(ctx, path)
		data, err := readFile(path)
		if err != nil {
			return nil, errors.Join(failed, err)
		}
		edited := e.withoutErrors(data)
		if failed != nil {
			if bytes.Equal(edited, e.text) {
				return nil, failed
			}
			return nil, kept(edited, failed)
		}
		wrong := e.check(edited)
		if wrong == nil {
			return edited, nil
		}
		if bytes.Equal(edited, text) && !bytes.Equal(shown, e.text) || ctx.Err() != nil {
			return nil, kept(edited, wrong)
		}
		text, shown = edited, e.withErrors(edited, wrong)
	}
}

// errorMark begins the comments that tell what is wrong.
const errorMark = " heretic: error: "

// withErrors puts each error above the line that it is about.
func (e edition) withErrors(text []byte, err error) []byte {
	above := map[int][]string{}
	for _, one := range messages(err) {
		line, said := 1, one.Error()
		if placed, ok := errors.AsType[*profile.Error](one); ok && placed.Pos.Line > 0 {
			line, said = placed.Pos.Line, placed.Path+": "+placed.Msg
		}
		said = ui.Clean(said)
		for _, hint := range hints(one) {
			said += " (" + ui.Clean(hint) + ")"
		}
		above[line] = append(above[line], e.comment+errorMark+said+"\n")
	}
	var out []byte
	number := 0
	for line := range bytes.Lines(text) {
		number++
		for _, comment := range above[number] {
			out = append(out, comment...)
		}
		delete(above, number)
		out = append(out, line...)
	}
	for _, number := range slices.Sorted(maps.Keys(above)) { // beyond the end
		for _, comment := range above[number] {
			out = append(out, comment...)
		}
	}
	return out
}

func (e edition) withoutErrors(text []byte) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		if !bytes.HasPrefix(line, []byte(e.comment+errorMark)) {
			out = append(out, line...)
		}
	}
	return out
}
