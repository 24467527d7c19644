package target

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"heretic/mcpconf"
)

var update = flag.Bool("update", false, "write docs/targets.md anew")

const (
	page     = "../../docs/targets.md"
	examples = "testdata/three.yaml"
)

// TestPageShowsWhatEachTargetGets holds docs/targets.md to what is rendered.
func TestPageShowsWhatEachTargetGets(t *testing.T) {
	data, err := os.ReadFile(examples)
	if err != nil {
		t.Fatal(err)
	}
	set, err := mcpconf.Parse(mcpconf.Source{Name: examples}, data)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("# What each agent type gets\n\n" +
		"Written by `go test ./mcpconf/target -update`; the tests fail where it is not what heretic\n" +
		"renders. `heretic mcp render AGENT --type TYPE` shows the same for your own servers.\n\n" +
		"The servers of all examples, as a profile has them:\n\n```yaml\n" + string(data) + "```\n")
	var done []Target
	for _, row := range All() {
		b.WriteString("\n## " + row.Name + "\n\n" + where(row) + "\n")
		i := slices.IndexFunc(done, func(d Target) bool { return d.Form == row.Form })
		done = append(done, row)
		if i >= 0 {
			fmt.Fprintf(&b, "\nThe file is the one of `%s`.\n", done[i].Name)
			continue
		}
		file, notes := rendered(t, row, set.Servers)
		fmt.Fprintf(&b, "\n```%s\n%s```\n", extension(row.Path), file)
		for _, n := range notes {
			b.WriteString("\n" + n + "\n")
		}
	}
	if *update {
		if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if old, err := os.ReadFile(page); err != nil || string(old) != b.String() {
		t.Errorf("%s is not what is rendered (%v): go test ./mcpconf/target -update", page, err)
	}
}

// where says where the container has the file.
func where(row Target) string {
	var text string
	switch row.Delivery {
	case Workspace:
		text = "Mounted read-only at `<workspace>/" + row.Path + "`"
		if row.MergeOwnFile {
			text += ", with all other keys of the project's own file"
		}
	case HomeFile:
		text = "Mounted read-only at `~/" + row.Path + "`, below every home that the container's user may have"
	case HomeMerge:
		text = "The part that heretic replaces in `~/" + row.Path + "`, which is the agent's own file"
	}
	if row.OwnFileWins {
		text += ". A usable `" + row.OwnFile + "` of the project wins"
	}
	if len(row.HomeDirs) > 0 {
		text += ". Kept in the session: `~/" + strings.Join(row.HomeDirs, "`, `~/") + "`"
	}
	return text + "."
}

// rendered is the file for all servers that the target can express, and what
// is said about the others.
func rendered(t *testing.T, row Target, servers []mcpconf.Server) (file string, notes []string) {
	t.Helper()
	var good []mcpconf.Server
	for _, s := range servers {
		if _, err := mcpconf.Render(row.Form, []mcpconf.Server{s}, mcpconf.RenderOptions{}); err != nil {
			notes = append(notes, "Refused: "+err.Error())
			continue
		}
		good = append(good, s)
	}
	out, err := mcpconf.Render(row.Form, good, mcpconf.RenderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range out.Notes {
		notes = append(notes, fmt.Sprintf("Note: server `%s`, %s: %s", n.Server, cmp.Or(n.Field, "all of it"), n.Text))
	}
	return string(out.Data), notes
}

func extension(path string) string { return path[strings.LastIndex(path, ".")+1:] }
