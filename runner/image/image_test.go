package image_test

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heretic/runner"
	"heretic/runner/image"
)

var update = flag.Bool("update", false, "write the golden files again")

func TestDockerfile(t *testing.T) {
	for name, o := range map[string]image.Options{
		"claude":  {Agents: []string{"claude"}, UID: 1000, GID: 1000, Homes: []string{".claude"}},
		"several": {Agents: []string{"opencode", "copilot-cli"}, UID: 501, GID: 20, Homes: []string{".config/opencode", ".copilot"}},
		"ubuntu": {
			Agents: []string{"codex"}, Base: "ubuntu:24.04", UID: 1234, GID: 1234,
			With:     []string{"@modelcontextprotocol/server-memory@2026.8.31", "mcp-remote"},
			Versions: map[string]string{"codex": "0.170.0"},
		},
		"generic": {Agents: []string{"generic"}, Base: "mirror.example:5000/debian@sha256:0123", Node: "base"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := image.New(o)
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", name+".Dockerfile")
			if *update {
				if err := os.WriteFile(golden, []byte(r.Dockerfile()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), r.Dockerfile()); diff != "" {
				t.Errorf("Dockerfile (-want +got); -update writes it again:\n%s", diff)
			}
		})
	}
}

func mustNew(t *testing.T, o image.Options) image.Recipe {
	t.Helper()
	r, err := image.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTags(t *testing.T) {
	a := mustNew(t, image.Options{Agents: []string{"codex", "claude"}, UID: 501})
	b := mustNew(t, image.Options{Agents: []string{"claude", "codex", "claude"}, UID: 501})
	if diff := cmp.Diff(a.Tags(), b.Tags()); diff != "" {
		t.Errorf("the order of the agents makes another image:\n%s", diff)
	}
	want := []string{"heretic/claude-codex:" + a.Hash(), "heretic/claude:uid501", "heretic/codex:uid501"}
	if diff := cmp.Diff(want, a.Tags()); diff != "" {
		t.Error(diff)
	}
	for name, o := range map[string]image.Options{
		"base":    {Agents: []string{"claude", "codex"}, UID: 501, Base: "debian:13"},
		"with":    {Agents: []string{"claude", "codex"}, UID: 501, With: []string{"mcp-remote"}},
		"version": {Agents: []string{"claude", "codex"}, UID: 501, Versions: map[string]string{"codex": "0.1.0"}},
		"uid":     {Agents: []string{"claude", "codex"}, UID: 502},
	} {
		if mustNew(t, o).Hash() == a.Hash() {
			t.Errorf("another %s makes no other hash", name)
		}
	}
	if got := image.For("claude", 0); got != "heretic/claude:uid1000" {
		t.Errorf("For root: %s", got)
	}
}

func TestNodeComesFromTheBaseOrTheDefault(t *testing.T) {
	for base, want := range map[string]string{
		"":                              "",
		"node:24":                       "",
		"node:lts-slim":                 "",
		"node":                          "",
		"mirror.example:5000/x/node:22": "",
		"node:24@sha256:0123":           "",
		"node:18-bookworm":              image.DefaultBase,
		"node:20.1.2":                   image.DefaultBase,
		"node:24-alpine":                image.DefaultBase,
		"debian:12":                     image.DefaultBase,
		"my/node-tools":                 image.DefaultBase,
	} {
		if r := mustNew(t, image.Options{Agents: []string{"acpx"}, Base: base}); r.Node != want {
			t.Errorf("base %q: node from %q, want %q", base, r.Node, want)
		}
	}
	if r := mustNew(t, image.Options{Agents: []string{"acpx"}, Base: "debian:12", Node: "base"}); r.Node != "" {
		t.Errorf("node from %q where the base has it", r.Node)
	}
}

func TestNewRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		o          image.Options
		text, hint string
	}{
		"no agent":        {image.Options{}, "no agent type is named", "claude"},
		"unknown":         {image.Options{Agents: []string{"claud"}}, `unknown agent type "claud"`, "claude"},
		"aider":           {image.Options{Agents: []string{"aider"}}, "aider is not on npm", "https://aider.chat"},
		"tag":             {image.Options{Agents: []string{"codex"}, Versions: map[string]string{"codex": "latest"}}, "not exact", "npm view @openai/codex version"},
		"range":           {image.Options{Agents: []string{"codex"}, Versions: map[string]string{"codex": "^1.2.3"}}, "not exact", ""},
		"shell version":   {image.Options{Agents: []string{"codex"}, Versions: map[string]string{"codex": "1.2.3-x;id"}}, "not exact", ""},
		"version of none": {image.Options{Agents: []string{"codex"}, Versions: map[string]string{"claude": "1.2.3"}}, `"claude", which is not one`, ""},
		"no package":      {image.Options{Agents: []string{"generic"}, Versions: map[string]string{"generic": "1.2.3"}}, "no package", ""},
		"base":            {image.Options{Agents: []string{"codex"}, Base: "x\nRUN id"}, "--base", ""},
		"node":            {image.Options{Agents: []string{"codex"}, Node: "-x"}, "--node", ""},
		"home":            {image.Options{Agents: []string{"codex"}, Homes: []string{"../x"}}, "cannot be made", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := image.New(c.o)
			if err == nil || !strings.Contains(err.Error(), c.text) {
				t.Fatalf("error %v, want one with %q", err, c.text)
			}
			if c.hint == "" {
				return
			}
			if h, ok := err.(interface{ Hint() string }); !ok || !strings.Contains(h.Hint(), c.hint) {
				t.Errorf("no hint with %q", c.hint)
			}
		})
	}
}

func TestPackagesOfServers(t *testing.T) {
	for _, spec := range []string{"mcp-remote", "mcp-remote@0.1.2", "@scope/name", "@scope/name@latest", "a.b_c"} {
		if _, err := image.New(image.Options{Agents: []string{"codex"}, With: []string{spec}}); err != nil {
			t.Errorf("%q: %v", spec, err)
		}
	}
	for _, spec := range []string{"", "@", "@/x", "@scope/", "x@", "a b", "a;b", "$(id)", "-g", "--prefix=/", "../x", "./x", "git+ssh://h/x", "x@^1", "x@>1", "@a/b/c", "a/b", "https://h/x.tgz", "x\n"} {
		if _, err := image.New(image.Options{Agents: []string{"codex"}, With: []string{spec}}); err == nil {
			t.Errorf("%q is taken for a package", spec)
		}
	}
}

// engine is one that builds as it is told.
type engine struct {
	has    []string
	pulled []string
	lines  []string
	err    error
	built  runner.BuildOptions
}

func (e *engine) Image(_ context.Context, ref string) (runner.ImageInfo, error) {
	if slices.Contains(e.has, ref) {
		return runner.ImageInfo{}, nil
	}
	return runner.ImageInfo{}, runner.ErrNotFound
}

func (e *engine) Pull(_ context.Context, ref, _ string, _ io.Writer) error {
	e.pulled = append(e.pulled, ref)
	return nil
}

func (e *engine) Build(_ context.Context, o runner.BuildOptions) (string, error) {
	e.built = o
	for _, l := range e.lines {
		o.Output(l)
	}
	return "sha256:1", e.err
}

func TestBuildPullsWhatIsMissing(t *testing.T) {
	r := mustNew(t, image.Options{Agents: []string{"acpx"}, Base: "debian:12"})
	e := &engine{has: []string{"debian:12"}}
	built, err := image.Build(t.Context(), e, r, image.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{image.DefaultBase}, e.pulled); diff != "" {
		t.Errorf("pulled: %s", diff)
	}
	if diff := cmp.Diff(r.Tags(), built.Tags); diff != "" {
		t.Error(diff)
	}
	if e.built.Dockerfile != r.Dockerfile() {
		t.Error("another Dockerfile was built")
	}
	e = &engine{has: []string{"debian:12", image.DefaultBase}}
	if _, err := image.Build(t.Context(), e, r, image.BuildOptions{Pull: true, Tags: []string{"mine"}}); err != nil {
		t.Fatal(err)
	}
	if len(e.pulled) != 2 || !slices.Equal(e.built.Tags, []string{"mine"}) {
		t.Errorf("pulled %q, tags %q", e.pulled, e.built.Tags)
	}
}

func TestBuildReportsSteps(t *testing.T) {
	r := mustNew(t, image.Options{Agents: []string{"acpx"}})
	for name, lines := range map[string][]string{
		"docker": {"Step 1/14 : FROM x", " ---> 123", "Step 2/14 : USER root", "Step 4/14 : RUN x", "reading"},
		"podman": {"STEP 1/14: FROM x", "STEP 2/14: USER root", "STEP 4/14: RUN x", "reading"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			e := &engine{lines: lines, err: &runner.BuildError{Text: "the command ended with code 100"}}
			_, err := image.Build(t.Context(), e, r, image.BuildOptions{Step: func(s image.Step) { got = append(got, s.Title) }})
			if diff := cmp.Diff([]string{"base " + image.DefaultBase, "git, ripgrep and the usual tools"}, got); diff != "" {
				t.Error(diff)
			}
			step, ok := errors.AsType[*image.StepError](err)
			if !ok {
				t.Fatalf("error %v, want a StepError", err)
			}
			if step.Title != "git, ripgrep and the usual tools" || !slices.Equal(step.Tail, []string{"reading"}) || !strings.Contains(step.Hint(), "HTTPS_PROXY") {
				t.Errorf("%+v, hint %q", step, step.Hint())
			}
		})
	}
}

func TestBuildTellsABaseWithoutApt(t *testing.T) {
	r := mustNew(t, image.Options{Agents: []string{"acpx"}})
	for said, want := range map[string]string{
		"/bin/sh: 1: apt-get: not found":                           "Debian or Ubuntu",
		"sh: line 1: apt-get: command not found":                   "Debian or Ubuntu",
		"Could not resolve 'deb.debian.org'":                       "HTTPS_PROXY",
		"E: Unable to locate package ripgrep":                      "HTTPS_PROXY",
		`exec: "/bin/sh": stat /bin/sh: no such file or directory`: "Debian or Ubuntu",
	} {
		e := &engine{lines: []string{"Step 4/14 : RUN x", said}, err: &runner.BuildError{Text: "the command ended with code 127"}}
		_, err := image.Build(t.Context(), e, r, image.BuildOptions{})
		step, ok := errors.AsType[*image.StepError](err)
		if !ok || !strings.Contains(step.Hint(), want) || !strings.Contains(err.Error(), said) {
			t.Errorf("%q: %v, hint %q, want %q", said, err, step.Hint(), want)
		}
	}
}

type store struct {
	images  []runner.ImageSummary
	inUse   string
	removed []string
}

func (s *store) Images(context.Context, string) ([]runner.ImageSummary, error) { return s.images, nil }

func (s *store) RemoveImage(_ context.Context, ref string) error {
	if ref == s.inUse {
		return runner.ErrInUse
	}
	s.removed = append(s.removed, ref)
	return nil
}

func TestListAndRemove(t *testing.T) {
	labels := func(versions string) map[string]string {
		return map[string]string{
			image.LabelRecipe: "0123456789ab", image.LabelAgents: "claude,generic", image.LabelVersions: versions,
			image.LabelWith: "mcp-remote", image.LabelBase: "debian:12", image.LabelUser: "501:20",
		}
	}
	claude := image.Programs()[0]
	s := &store{images: []runner.ImageSummary{
		{ID: "sha256:1", Tags: []string{"heretic/claude-generic:0123456789ab", "heretic/claude:uid501"}, Labels: labels("claude=" + claude.Version)},
		{ID: "sha256:2", Tags: []string{"heretic/claude-generic:0123456789ab"}, Labels: labels("claude=1.0.0")},
		{ID: "sha256:3", Labels: labels("claude=1.0.0")},
		{ID: "sha256:4", Tags: []string{"mine:1"}, Labels: labels("claude=1.0.0")},
	}, inUse: "sha256:3"}
	list, err := image.List(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if i := list[0]; !i.Current || len(i.Newer) != 0 || i.Versions["claude"] != claude.Version || !slices.Equal(i.Agents, []string{"claude", "generic"}) || i.User != "501:20" {
		t.Errorf("first: %+v", i)
	}
	if !slices.Equal(list[3].Newer, []string{"claude"}) || !list[3].Current {
		t.Errorf("last: %+v", list[3])
	}
	old := image.Superseded(list)
	if len(old) != 2 || old[0].ID != "sha256:2" || old[1].ID != "sha256:3" {
		t.Fatalf("superseded: %+v", old)
	}
	inUse, err := image.Remove(t.Context(), s, old)
	if err != nil || len(inUse) != 1 || inUse[0].ID != "sha256:3" {
		t.Errorf("in use %+v, error %v", inUse, err)
	}
	if diff := cmp.Diff([]string{"heretic/claude-generic:0123456789ab"}, s.removed); diff != "" {
		t.Error(diff)
	}
}
