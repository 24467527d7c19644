package trust

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"heretic/profile"
	"heretic/profile/internal/profiletest"
)

var update = flag.Bool("update", false, "rewrite the wanted parts of testdata")

// unpack writes home/ and project/ of an archive.
func unpack(t *testing.T, ar *txtar.Archive) (dir string, l profile.Loader) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range ar.Files {
		path := filepath.Join(dir, f.Name)
		if !strings.Contains(f.Name, "/") {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if to, ok := strings.CutPrefix(string(f.Data), "-> "); ok {
			if err := os.Symlink(strings.TrimSpace(to), path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(path, f.Data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir, profile.Loader{HereticHome: filepath.Join(dir, "home/.heretic"), Home: filepath.Join(dir, "home"), Project: filepath.Join(dir, "project")}
}

func powers(t *testing.T, l profile.Loader, o profile.Options) []Power {
	t.Helper()
	m, err := l.Merge("claude", o)
	if err != nil {
		t.Fatal(err)
	}
	return Powers(m)
}

func TestPowersGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir, l := unpack(t, ar)
			var b strings.Builder
			for _, p := range powers(t, l, profile.Options{}) {
				asks := "asks"
				if p.Free {
					asks = "free"
				}
				fmt.Fprintf(&b, "%s %s %s: %s  # %s\n", asks, p.Kind, p.Path, p.What, p.Pos)
			}
			got := profiletest.Neutral(b.String(), dir)
			last := &ar.Files[len(ar.Files)-1]
			if *update {
				last.Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != string(last.Data) {
				t.Errorf("got:\n%s\nwant:\n%s", got, last.Data)
			}
		})
	}
}

// What is said in other words is the same; a new destination is not.
func TestDigest(t *testing.T) {
	hash := func(local string) string {
		_, l := unpack(t, &txtar.Archive{Files: []txtar.File{
			{Name: "home/.heretic/agents/claude.yaml", Data: []byte("image: x\n")},
			{Name: "project/.heretic/cli/claude.yaml", Data: []byte(local)},
		}})
		return Hash(powers(t, l, profile.Options{}))
	}
	if hash("mcp: [{name: s, command: x, tools: []}]") == hash("mcp: [{name: s, command: x}]") {
		t.Error("a server that offers all its tools is approved as one without any")
	}
	base := "env: {A: '${TOKEN}', B: x}\nmcp:\n  - {name: s, url: 'https://a/${TOKEN}'}\n"
	for _, same := range []string{
		"# a comment\nenv:\n  B: \"x\"\n  A: ${TOKEN} # c\nmcp:\n  - url: https://a/${TOKEN}\n    name: s\n",
		"mcp:\n  - {name: s, url: 'https://a/${TOKEN}'}\nenv: {A: '${TOKEN}', B: x}\ndescription: new\n",
	} {
		if hash(base) != hash(same) {
			t.Errorf("asks again for:\n%s", same)
		}
	}
	for _, other := range []string{
		"env: {A: '${TOKEN}', B: y}\nmcp:\n  - {name: s, url: 'https://a/${TOKEN}'}\n",
		"env: {A: '${TOKEN}', B: x}\nmcp:\n  - {name: s, url: 'https://b/${TOKEN}'}\n",
		"env: {A: '${TOKEN}', B: x}\nmcp:\n  - {name: s, url: 'https://a/${TOKEN}'}\nimage: z\n",
	} {
		if hash(base) == hash(other) {
			t.Errorf("does not ask again for:\n%s", other)
		}
	}
}

// A script of the project is approved with its content, also when the user's
// own profile names it.
func TestScriptContent(t *testing.T) {
	dir, l := unpack(t, &txtar.Archive{Files: []txtar.File{
		{Name: "home/.heretic/agents/claude.yaml", Data: []byte("image: x\nsecrets: {K: ./get.sh}\n")},
		{Name: "project/get.sh", Data: []byte("#!/bin/sh\necho a\n")},
	}})
	before := powers(t, l, profile.Options{})
	if len(before) != 1 || before[0].Free {
		t.Fatalf("powers: %+v", before)
	}
	if err := os.WriteFile(filepath.Join(dir, "project/get.sh"), []byte("#!/bin/sh\ncurl evil\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if after := powers(t, l, profile.Options{}); Hash(after) == Hash(before) {
		t.Error("a changed script is still approved")
	}
}

// So is a seccomp profile: the agent could write it, for its next run.
func TestSeccompContent(t *testing.T) {
	dir, l := unpack(t, &txtar.Archive{Files: []txtar.File{
		{Name: "home/.heretic/agents/claude.yaml", Data: []byte("image: x\nextra: {security_opt: seccomp=tight.json}\n")},
		{Name: "project/tight.json", Data: []byte(`{"defaultAction": "SCMP_ACT_ERRNO"}`)},
	}})
	before := powers(t, l, profile.Options{})
	if len(before) != 1 || before[0].Free {
		t.Fatalf("powers: %+v", before)
	}
	if err := os.WriteFile(filepath.Join(dir, "project/tight.json"), []byte(`{"defaultAction": "SCMP_ACT_ALLOW"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if after := powers(t, l, profile.Options{}); Hash(after) == Hash(before) {
		t.Error("a changed seccomp profile is still approved")
	}
}

// A script that is too large to be looked at is never approved: nobody knows
// what it will be.
func TestScriptTooLarge(t *testing.T) {
	dir, l := unpack(t, &txtar.Archive{Files: []txtar.File{
		{Name: "home/.heretic/agents/claude.yaml", Data: []byte("image: x\nsecrets: {K: ./get.sh}\n")},
		{Name: "project/get.sh", Data: []byte("#!/bin/sh\necho a\n")},
	}})
	if err := os.Truncate(filepath.Join(dir, "project/get.sh"), maxScript+1); err != nil {
		t.Fatal(err)
	}
	asked := powers(t, l, profile.Options{})
	store := Store{HereticHome: l.HereticHome}
	if err := store.Approve(l.Project, "claude", asked); err != nil {
		t.Fatal(err)
	}
	if d, err := store.Compare(l.Project, "claude", asked); err != nil || len(asked) != 1 || d.Approved() {
		t.Errorf("%+v: approved (%v)", asked, err)
	}
}

// Without the override, or when the command line replaces it, nothing is asked.
func TestLeftOut(t *testing.T) {
	_, l := unpack(t, &txtar.Archive{Files: []txtar.File{
		{Name: "home/.heretic/agents/claude.yaml", Data: []byte("image: x\n")},
		{Name: "project/.heretic/cli/claude.yaml", Data: []byte("command: evil\nmcp: [{name: s, command: '${TOKEN}'}]\n")},
		{Name: "project/.heretic/cli/claude-settings.json", Data: []byte("{}")},
	}})
	if p := powers(t, l, profile.Options{NoLocal: true}); len(p) > 0 {
		t.Errorf("with --no-local: %+v", p)
	}
	p := powers(t, l, profile.Options{Command: []string{"ls"}, MCP: &profile.MCPFlag{Name: "--mcp", Data: []byte(`{"mcpServers":{}}`)}})
	if len(p) != 1 || p[0].Kind != "claude_settings" {
		t.Errorf("with flags: %+v", p)
	}
}

// A global profile that a link takes from the project is the project's text.
func TestLinkedProfile(t *testing.T) {
	_, l := unpack(t, &txtar.Archive{Files: []txtar.File{
		{Name: "project/dotfiles/claude.yaml", Data: []byte("image: x\nsecrets: {K: /bin/evil}\n")},
		{Name: "home/.heretic/agents/claude.yaml", Data: []byte("-> ../../../project/dotfiles/claude.yaml\n")},
	}})
	if p := powers(t, l, profile.Options{}); len(p) != 2 {
		t.Errorf("%+v", p)
	}
	other := l
	other.Project = filepath.Dir(l.HereticHome) + "/elsewhere"
	if err := os.Mkdir(other.Project, 0o755); err != nil {
		t.Fatal(err)
	}
	if p := powers(t, other, profile.Options{}); len(p) != 0 {
		t.Errorf("from another project: %+v", p)
	}
}
