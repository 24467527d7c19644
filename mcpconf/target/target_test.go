package target

import (
	"path"
	"slices"
	"strings"
	"testing"

	"heretic/mcpconf"
)

// TestRows checks what every row must have for its delivery to work.
func TestRows(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range All() {
		t.Run(row.Name, func(t *testing.T) {
			if row.Name == "" || seen[row.Name] {
				t.Error("the name is empty or there twice")
			}
			seen[row.Name] = true
			if row.Title == "" || row.Provider == "" {
				t.Error("no title or provider")
			}
			if !slices.Contains(mcpconf.Forms(), row.Form) {
				t.Errorf("unknown form %q", row.Form)
			}
			if row.Path != path.Clean(row.Path) || path.IsAbs(row.Path) {
				t.Errorf("path %q is not clean and relative", row.Path)
			}
			below := func(file string) bool {
				return slices.ContainsFunc(row.HomeDirs, func(d string) bool { return strings.HasPrefix(file, d+"/") })
			}
			if row.Delivery != Workspace && !below(row.Path) {
				t.Errorf("%s is not below a home directory of the agent", row.Path)
			}
			for _, s := range row.Settings {
				if !below(s.File) {
					t.Errorf("%s is not below a home directory of the agent", s.File)
				}
				if len(s.Key) == 0 || s.Value == nil {
					t.Errorf("a setting of %s has no key or value", s.File)
				}
				if s.When == WhenAPIKey && row.APIKeyEnv == "" {
					t.Errorf("%v waits for an API key that has no name", s.Key)
				}
			}
			if (row.OwnFileWins || row.MergeOwnFile) && row.OwnFile == "" {
				t.Error("the project's own file has no name")
			}
			got, ok := Lookup(row.Name)
			if !ok || got.Form != row.Form {
				t.Errorf("Lookup = %v, %v", got, ok)
			}
		})
	}
	if _, ok := Lookup("nobody"); ok {
		t.Error("found a row that is not there")
	}
	for _, name := range []string{"claude", "copilot-cli", "codex", "gemini", "qwen", "opencode", "amp", "cline", "acpx", "aider", "generic"} {
		if !slices.Contains(Names(), name) {
			t.Errorf("no row %s", name)
		}
	}
}
