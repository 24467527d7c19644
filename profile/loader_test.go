package profile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"heretic/profile/internal/profiletest"

	"heretic/profile/schema"
)

func archive(text string) *txtar.Archive { return txtar.Parse([]byte(text)) }

func TestList(t *testing.T) {
	h := newHost(t, archive(`
-- home/.heretic/agents/claude.yaml --
description: global
image: x
-- home/.heretic/agents/broken.yaml --
imge: x
-- home/.heretic/agents/child.yaml --
extends: nobody
-- home/.heretic/agents/.hidden.yaml --
-- home/.heretic/agents/notes.txt --
-- project/.heretic/cli/claude.yaml --
description: local
agent_type: generic
-- project/.heretic/cli/mine.yaml --
image: y
-- project/.heretic/cli/agent.yaml --
extends: claude
-- project/.heretic/cli/compose.yaml --
services: {}
`))
	entries, err := h.loader.List()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, profiletest.Neutral(fmt.Sprintf("%s|%s|%s|%s|%s|%s|%v", e.Name, e.Path, e.Local, e.Description, e.Image, e.AgentType, e.Err), h.dir))
	}
	want := []string{
		"broken|$D/home/.heretic/agents/broken.yaml|||" + "|claude|" + `$D/home/.heretic/agents/broken.yaml:1:1: imge: unknown key; the nearest known one is "image"`,
		"child|$D/home/.heretic/agents/child.yaml||||claude|" + `$D/home/.heretic/agents/child.yaml:1:10: extends: no global profile "nobody"`,
		"claude|$D/home/.heretic/agents/claude.yaml|$D/project/.heretic/cli/claude.yaml|local|x|generic|<nil>",
		"mine||$D/project/.heretic/cli/mine.yaml||y|claude|<nil>",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	skimmed, err := h.loader.Skim()
	if err != nil {
		t.Fatal(err)
	}
	got = nil
	for _, e := range skimmed {
		got = append(got, fmt.Sprintf("%s|%s|%t", e.Name, e.Description, e.Err != nil))
	}
	if want := []string{"broken||false", "child||true", "claude|local|false", "mine||false"}; !slices.Equal(got, want) {
		t.Errorf("skimmed %q, want %q", got, want)
	}
	empty := Loader{HereticHome: filepath.Join(h.dir, "none"), Home: h.dir}
	if entries, err := empty.List(); err != nil || len(entries) != 0 {
		t.Errorf("without a home: %v, %v", entries, err)
	}
	_, err = empty.Merge("claude", Options{})
	if e, ok := errors.AsType[*UnknownAgentError](err); !ok || !strings.Contains(e.Hint(), "heretic init") {
		t.Errorf("without a home: %v", err)
	}
}

// Links below HERETIC_HOME are followed; those of the project are not when
// they lead out of it.
func TestLinks(t *testing.T) {
	h := newHost(t, archive(`
-- home/dotfiles/claude.yaml --
image: linked
-- home/outside/claude.yaml --
image: outside
-- project/.heretic/cli/inside.yaml --
image: inside
`))
	agents := filepath.Join(h.loader.HereticHome, "agents")
	if err := os.MkdirAll(agents, 0o755); err != nil {
		t.Fatal(err)
	}
	link := func(to, at string) {
		t.Helper()
		if err := os.Symlink(to, at); err != nil {
			t.Fatal(err)
		}
	}
	link("../../dotfiles/claude.yaml", filepath.Join(agents, "claude.yaml"))
	res, err := h.resolve(t)
	if err != nil || res.Profile.Image != "linked" {
		t.Fatalf("%+v, %v", res, err)
	}
	local := h.loader.LocalPath("claude")
	link("inside.yaml", local)
	if res, err := h.resolve(t); err != nil || res.Profile.Image != "inside" {
		t.Errorf("a link inside of the project: %+v, %v", res, err)
	}
	for _, to := range []string{"../../../home/outside/claude.yaml", filepath.Join(h.dir, "home/outside/claude.yaml")} {
		if err := os.Remove(local); err != nil {
			t.Fatal(err)
		}
		link(to, local)
		if _, err := h.resolve(t); err == nil || !strings.Contains(err.Error(), local+": a symbolic link leads out of the project") {
			t.Errorf("%s: %v", to, err)
		}
	}
	if err := os.RemoveAll(filepath.Join(h.loader.Project, ".heretic")); err != nil {
		t.Fatal(err)
	}
	link(filepath.Join(h.dir, "home"), filepath.Join(h.loader.Project, ".heretic"))
	if _, err := h.resolve(t); err == nil || !strings.Contains(err.Error(), "leads out of the project") {
		t.Errorf("a folder that is a link: %v", err)
	}
}

// Whatever stands where a file is expected: an error, and no waiting.
func TestNoFiles(t *testing.T) {
	h := newHost(t, archive("-- home/.heretic/agents/claude.yaml --\nimage: x\nmcp_file: servers\nenv_file: vars\n"))
	write := func(path, data string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files := map[string]string{
		h.loader.LocalPath("claude"):               "image: y\n",
		filepath.Join(h.loader.Project, "servers"): "{}",
		filepath.Join(h.loader.Project, "vars"):    "A=1",
	}
	for path, data := range files {
		write(path, data)
	}
	for path, data := range files {
		for kind, put := range map[string]func() error{
			"is a directory":         func() error { return os.Mkdir(path, 0o755) },
			"is not a regular file":  func() error { return exec.Command("mkfifo", path).Run() },
			"not a regular file":     func() error { return os.Symlink("/dev/zero", path) },
			"permission denied":      func() error { return os.WriteFile(path, nil, 0) },
			"larger than|more than ": func() error { return os.Truncate(path, 100<<20) },
		} {
			if os.Getuid() == 0 && kind == "permission denied" {
				continue
			}
			if runtime.GOOS == "windows" && (kind == "is not a regular file" || kind == "not a regular file" || kind == "permission denied") {
				continue // it has neither FIFOs nor devices nor modes
			}
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(kind, "|") {
				write(path, "")
			}
			if err := put(); err != nil {
				t.Fatal(err)
			}
			_, err := h.resolve(t)
			ok := false
			for want := range strings.SplitSeq(kind, "|") {
				ok = ok || err != nil && strings.Contains(err.Error(), want)
			}
			if link, _ := os.Readlink(path); link != "" && err != nil && strings.Contains(err.Error(), "leads out") {
				ok = true
			}
			if !ok {
				t.Errorf("%s %s: %v", path, kind, err)
			}
		}
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		write(path, data)
	}
}

// The time limit reaches what a script started in the background, and a
// cancelled run says so.
func TestScriptLimit(t *testing.T) {
	script := filepath.Join(t.TempDir(), "s.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nsleep 100 &\nsleep 100\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := runScript(ctx, []string{script}, []string{"PATH=" + os.Getenv("PATH")}, "/"); err == nil {
		t.Error("no error")
	}
}

// A script that is replaced by the caller gets the expanded words, and its
// failure does not show what it printed.
func TestRunScript(t *testing.T) {
	h := newHost(t, archive("-- home/.heretic/agents/claude.yaml --\nimage: x\nsecrets: {K: '~/s.sh a ${HOME} \"b c\"'}\n-- home/s.sh --\n#!/bin/sh\n"))
	var got []string
	h.env.RunScript = func(_ context.Context, argv []string) (string, error) {
		got = argv
		return " value\n", nil
	}
	res, err := h.resolve(t)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{filepath.Join(h.loader.Home, "s.sh"), "a", h.loader.Home, "b c"}; !slices.Equal(got, want) {
		t.Errorf("ran %q, want %q", got, want)
	}
	for _, o := range res.Origins {
		if o.Path == "secrets.K" && (o.Value != "value" || o.Shown(false) != Mask || o.Shown(true) != "value") {
			t.Errorf("%+v", o)
		}
	}
}

// The text of a variable is never run.
func TestVariableIsNoScript(t *testing.T) {
	h := newHost(t, archive("-- env --\nKEY=/bin/echo run\n-- home/.heretic/agents/claude.yaml --\nimage: x\nsecrets: {K: '${KEY:-}', L: $KEY}\nenv: {A: '${K}', B: '${L}'}\n"))
	h.env.RunScript = func(context.Context, []string) (string, error) {
		t.Error("it was run")
		return "", nil
	}
	res, err := h.resolve(t)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range res.Profile.Env {
		if e.Value != "/bin/echo run" {
			t.Errorf("%+v", e)
		}
	}
}

func TestIsScript(t *testing.T) {
	for text, want := range map[string]bool{
		"./get.sh": true, "/usr/bin/op read x": true, "~/bin/key": true, "get.sh a b": true, `C:\x\get.CMD a`: true,
		"${HOME}/bin/key": true, "${CWD}/key arg": true, "key.ps1": true,
		"sk-literal": false, "$VAR": false, "${VAR}": false, "": false, "p$ssw0rd": false, "a b.sh": false, "../x": false, `"open`: false,
	} {
		if got := isScript(text); got != want {
			t.Errorf("isScript(%q) = %v", text, got)
		}
	}
}

func TestSplitVolume(t *testing.T) {
	for _, tt := range []struct{ in, source, target, access string }{
		{"a:/b", "a", "/b", ""},
		{"/a:/b:ro", "/a", "/b", "ro"},
		{`C:\Users\me:/work`, `C:\Users\me`, "/work", ""},
		{`C:/Users/me:/work:ro`, "C:/Users/me", "/work", "ro"},
		{`c:\a b:/w`, `c:\a b`, "/w", ""},
		{`\\server\share:/w`, `\\server\share`, "/w", ""},
		{"c:/work", "c", "/work", ""},
		{"${A:-x:y}:/b", "${A:-x:y}", "/b", ""},
		{"${A}:${B}:ro", "${A}", "${B}", "ro"},
		{"~/x:/b", "~/x", "/b", ""},
	} {
		source, target, access, err := splitVolume(tt.in)
		if err != nil || source != tt.source || target != tt.target || access != tt.access {
			t.Errorf("splitVolume(%q) = %q, %q, %q, %v", tt.in, source, target, access, err)
		}
	}
	for _, in := range []string{"", "a", "a:", ":b", "a:b:c:d", ":", "${A:-x:y}", `C:\x`} {
		if s, target, a, err := splitVolume(in); err == nil {
			// A drive without a target is a one-letter name, which is refused later.
			if in != `C:\x` || s != "C" {
				t.Errorf("splitVolume(%q) = %q, %q, %q", in, s, target, a)
			}
		}
	}
}

// The parts of a volume put together again are the text.
func FuzzSplitVolume(f *testing.F) {
	for _, s := range []string{"a:/b", `C:\x:/y:ro`, "${A:-b:c}:/d", "$${:x", "a:b:c:d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		source, target, access, err := splitVolume(s)
		if err != nil {
			return
		}
		whole := source + ":" + target
		if whole != s && whole+":"+access != s {
			t.Fatalf("%q became %q, %q, %q", s, source, target, access)
		}
		readOnly(access)
	})
}

// Whatever a file holds: validating it does not panic, and what is valid can
// be merged and resolved without a panic.
func FuzzValidate(f *testing.F) {
	cases, err := filepath.Glob("testdata/resolve/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	scripts, err := filepath.Glob("testdata/resolve/unix/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range slices.Concat(cases, scripts) {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, one := range ar.Files {
			if strings.HasSuffix(one.Name, ".yaml") {
				f.Add(one.Data)
			}
		}
	}
	none := func(string) (string, bool) { return "", false }
	f.Fuzz(func(t *testing.T, data []byte) {
		lay, err := Loader{}.layer("global", "p.yaml", data)
		for _, e := range Errors(err) {
			if e.Pos.File != "p.yaml" {
				t.Fatalf("no place: %v", e)
			}
		}
		if err != nil {
			return
		}
		m := &Merged{Name: "x", Layers: []Layer{*lay}, index: map[string]int{}}
		m.lay(&m.Layers[0])
		m.flags(&Layer{Name: "flag"})
		if m.readServers() != nil {
			return
		}
		m.Changes()
		res, err := m.Resolve(t.Context(), Environment{Lookup: none, RunScript: func(context.Context, []string) (string, error) { return "s", nil }})
		if err != nil {
			return
		}
		for _, o := range res.Origins {
			if _, ok := schema.Profile().Lookup(strings.FieldsFunc(o.Path, func(r rune) bool { return r == '.' || r == '[' })[0]); !ok {
				t.Fatalf("origin of %q", o.Path)
			}
		}
	})
}

// All that is wrong in a file is said at once, in its order.
func TestAllErrorsOfAFile(t *testing.T) {
	_, _, err := Loader{}.parse("p.yaml", []byte("image: x\nagent_typ: claude\nagent_type: nope\nworkdir: \"${A\"\nvolumes:\n  - \"${B:/x\"\n  - /a:/b:rx\nmcp: [{name: a}]\n"))
	if err == nil {
		t.Fatal("no error")
	}
	rest := err.Error()
	for _, want := range []string{"p.yaml:2:1", "p.yaml:3:13", "p.yaml:4:10", "p.yaml:6:5", "p.yaml:7:5", "MCP server 'a'"} {
		_, after, ok := strings.Cut(rest, want)
		if !ok {
			t.Fatalf("%s is not said, or not in its place:\n%v", want, err)
		}
		rest = after
	}
}
