//go:build unix

package cmd

import (
	"os"
	"path/filepath"
	"testing"

	"heretic/cmd/internal/ui"
)

// A ctrl-c that is typed in the editor goes to heretic too, and must end
// neither the editor nor heretic.
func TestInterruptIsTheEditors(t *testing.T) {
	dir := t.TempDir()
	editor, seen, file := filepath.Join(dir, "editor"), filepath.Join(dir, "seen"), filepath.Join(dir, "text")
	script := "kill -INT $PPID\nuntil [ -e " + seen + " ]; do sleep 0.05; done\necho typed >\"$1\"\n"
	if err := os.WriteFile(editor, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	streams, _, _, _ := ui.Test()
	a := newApp(streams)
	a.Home = func() (string, error) { return dir, nil }
	a.Lookup = func(name string) (string, bool) { return "sh " + editor, name == "VISUAL" }
	ctx, stop := cancelOnSignal(t.Context(), func() bool {
		defer os.WriteFile(seen, nil, 0o600)
		return a.editing.Load()
	})
	if err := a.editFile(ctx, file); err != nil {
		t.Error(err)
	}
	if ctx.Err() != nil {
		t.Error("heretic ends:", ctx.Err())
	}
	if data, err := os.ReadFile(file); string(data) != "typed\n" {
		t.Errorf("%q %v", data, err)
	}
	if a.editing.Load() {
		t.Error("an interrupt is still the editor's")
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}
