//go:build unix

package gitguard

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// git runs git in a directory, without the configuration of this machine.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "HOME="+dir,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// repo makes a repository with one commit.
func repo(t *testing.T, flags ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, "main")
	git(t, filepath.Dir(dir), append([]string{"init", "-q", dir}, flags...)...)
	write(t, filepath.Join(dir, "a"), "a\n")
	git(t, dir, "add", "a")
	git(t, dir, "commit", "-qm", "a")
	return dir
}

func write(t *testing.T, file, data string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

var configs = []string{
	"[core]\n\teditor = vi\n",
	"[Core]EDITOR=vi\n[core]pager\n",
	"[alias]\n\tx = !sh -c 'a; b' # c\n\ty = \"!sh # no comment\" ; comment\n",
	"[credential \"https://Example.com\"]\n\thelper = \"!f() { echo \\\"a\\\"; }; f\"\n",
	"[a \"sub \\\"q\\\" \\\\ x\"]\n\tk = v\\\n  w\\tx\\n\n",
	"[a.Sub]\n\tk = 1\n[a \"Sub\"]\n\tk = 2\n",
	"\ufeff[core]\r\n\teditor = vi  \r\n\tpager =\r\n",
	"; c\n[include]\n\tpath = x\n[includeIf \"gitdir:~/x/\"]\n\tpath = y\n",
	"[a]\n\tk = a   \"b  \"  c  \n\tl = \"\"\n",
	"[a \"\"]\n\tk = v\n",
}

func TestParseConfigAgreesWithGit(t *testing.T) {
	for _, text := range configs {
		file := filepath.Join(t.TempDir(), "config")
		write(t, file, text)
		want := git(t, filepath.Dir(file), "config", "-f", file, "--no-includes", "--list", "-z")
		if got := list(ParseConfig([]byte(text))); got != want {
			t.Errorf("%q:\n got %q\nwant %q", text, got, want)
		}
	}
}

// list prints entries as `git config --list -z` does.
func list(entries []Entry) string {
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(e.Key() + "\n" + e.Value + "\x00")
	}
	// git prints a variable without value as its name alone.
	return strings.ReplaceAll(b.String(), "core.pager\ntrue\x00", "core.pager\x00")
}

func FuzzParseConfig(f *testing.F) {
	for _, c := range configs {
		f.Add([]byte(c))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, e := range ParseConfig(data) {
			if e.Section == "" || e.Name == "" {
				t.Errorf("entry without a name: %+v", e)
			}
		}
	})
}

func TestRunsProgram(t *testing.T) {
	for text, want := range map[string]bool{
		"[core]\nhooksPath=x":                 true,
		"[core]\nbare=false":                  false,
		"[core \"x\"]\nautocrlf=input":        false,
		"[filter \"lfs\"]\nprocess=x":         true,
		"[diff \"x\"]\ntextconv=y":            true,
		"[diff]\nrenames=true":                false,
		"[alias]\nst=status":                  false,
		"[alias]\nst=!rm":                     true,
		"[remote \"o\"]\nurl=https://x/y":     false,
		"[remote \"o\"]\nurl=ext::sh -c x":    true,
		"[branch \"b\"]\nremote=origin":       false,
		"[user]\nname=x":                      false,
		"[gpg \"ssh\"]\nprogram=x":            true,
		"[credential \"https://x\"]\nhelper=": true,
		"[submodule \"x\"]\nurl=y":            false,
	} {
		entries := ParseConfig([]byte(text))
		if len(entries) != 1 || RunsProgram(entries[0]) != want {
			t.Errorf("%q: %+v, want %v", text, entries, want)
		}
	}
}

func TestInspectWorktree(t *testing.T) {
	main := repo(t)
	one, two := filepath.Join(filepath.Dir(main), "one"), filepath.Join(filepath.Dir(main), "two")
	git(t, main, "worktree", "add", "-q", one)
	git(t, main, "worktree", "add", "-q", two)

	l, err := Inspect(one)
	want := filepath.Join(main, ".git")
	if err != nil || l.Dir != want || l.Own != want+"/worktrees/one" || !slices.Equal(l.Others, []string{want + "/worktrees/two"}) ||
		!slices.Equal(l.Hooks, []string{want + "/hooks"}) || l.Problem != "" {
		t.Errorf("%+v, %v", l, err)
	}
	if !l.Tracked("a") || l.Tracked("b") {
		t.Error("the worktree's index")
	}

	// A .git that points to a repository which does not point back.
	evil := filepath.Join(filepath.Dir(main), "evil")
	write(t, filepath.Join(evil, ".git"), "gitdir: "+want+"/worktrees/one\n")
	if l, err := Inspect(evil); err != nil || l.Dir != "" || l.Problem == "" {
		t.Errorf("not its worktree: %+v, %v", l, err)
	}
	for name, text := range map[string]string{"nothing": "", "text": "hello\n", "nowhere": "gitdir: /nope/nope\n", "self": "gitdir: .git\n"} {
		dir := filepath.Join(filepath.Dir(main), name)
		write(t, filepath.Join(dir, ".git"), text)
		if l, err := Inspect(dir); err != nil || l.Dir != "" || l.Problem == "" {
			t.Errorf("%s: %+v, %v", name, l, err)
		}
	}
}

func TestChanges(t *testing.T) {
	dir := repo(t)
	config := filepath.Join(dir, ".git/config")
	git(t, dir, "config", "core.editor", "vi")
	git(t, dir, "config", "core.pager", "less -R")
	before, err := Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	git(t, dir, "config", "core.editor", "sh -c 'evil'")
	git(t, dir, "config", "alias.co", "!evil")
	git(t, dir, "config", "branch.x.remote", "origin")
	git(t, dir, "config", "--unset", "core.pager")
	write(t, filepath.Join(dir, ".git/hooks/post-checkout"), "#!/bin/sh\n")
	write(t, filepath.Join(dir, ".git/commondir"), "../evil\n")
	after, err := Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := before.Changes(after)
	var keys []string
	for _, f := range found {
		keys = append(keys, strings.TrimPrefix(f.File, dir)+" "+f.Key)
	}
	if want := []string{"/.git/commondir ", "/.git/config alias.co", "/.git/config core.editor", "/.git/hooks/post-checkout "}; !slices.Equal(keys, want) {
		t.Errorf("got %q, want %q", keys, want)
	}
	// The commands that are shown do what they say.
	for _, f := range found {
		if out, err := exec.Command("sh", "-c", f.Restore).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", f.Restore, err, out)
		}
	}
	if got := git(t, dir, "config", "-f", config, "core.editor"); got != "vi\n" {
		t.Errorf("editor is %q", got)
	}
	if last, _ := Take(dir); len(before.Changes(last)) > 0 {
		t.Errorf("still changed: %v", before.Changes(last))
	}
}

func TestWatch(t *testing.T) {
	dir := repo(t)
	before, err := Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	found := make(chan Finding, 10)
	ended := make(chan Snapshot)
	go func() { ended <- Watch(ctx, dir, before, time.Millisecond, func(f Finding) { found <- f }) }()
	git(t, dir, "config", "core.fsmonitor", "evil")
	if f := <-found; f.Key != "core.fsmonitor" || f.New[0] != "evil" {
		t.Errorf("%+v", f)
	}
	git(t, dir, "config", "core.fsmonitor", "worse")
	if f := <-found; f.Old[0] != "evil" || f.New[0] != "worse" {
		t.Errorf("%+v", f)
	}
	cancel()
	if last := <-ended; len(last.Changes(before)) != 0 || len(before.Changes(last)) != 1 {
		t.Errorf("last seen: %v", last)
	}
}
