package profile

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"heretic/profile/internal/profiletest"
)

var update = flag.Bool("update", false, "rewrite the wanted parts of testdata")

// host is one machine made from a txtar archive: home/ with ~/.heretic,
// project/, the environment in env, the command line in flags.
type host struct {
	dir    string
	loader Loader
	env    Environment
	name   string
	opts   Options
}

func newHost(t *testing.T, ar *txtar.Archive) host {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := host{dir: dir, name: "claude"}
	vars := map[string]string{}
	for _, f := range ar.Files {
		data := strings.ReplaceAll(string(f.Data), "$D/", dir+"/")
		switch {
		case f.Name == "env":
			for line := range strings.Lines(data) {
				k, v, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
				vars[k] = v
			}
		case f.Name == "flags":
			h.flags(t, strings.Fields(data))
		case strings.HasPrefix(f.Name, "home/"), strings.HasPrefix(f.Name, "project/"):
			path := filepath.Join(dir, f.Name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			mode := os.FileMode(0o644)
			if strings.HasPrefix(data, "#!") {
				mode = 0o755
			}
			if err := os.WriteFile(path, []byte(data), mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, sub := range []string{"home", "project"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	lookup := func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
	h.loader = Loader{HereticHome: filepath.Join(dir, "home/.heretic"), Home: filepath.Join(dir, "home"), Project: filepath.Join(dir, "project"), Lookup: lookup}
	h.env = Environment{Lookup: lookup, Environ: []string{"PATH=" + os.Getenv("PATH")}}
	return h
}

// flags reads the words of the flags file.
func (h *host) flags(t *testing.T, words []string) {
	for i := 0; i < len(words); i++ {
		switch w := words[i]; w {
		case "-e":
			i++
			h.opts.Env = append(h.opts.Env, words[i])
		case "-v":
			i++
			h.opts.Volumes = append(h.opts.Volumes, words[i])
		case "--mcp":
			i++
			h.opts.MCP = &MCPFlag{Name: "--mcp", Data: []byte(words[i])}
		case "--no-local":
			h.opts.NoLocal = true
		case "--":
			h.opts.Command = words[i+1:]
			return
		default:
			if strings.HasPrefix(w, "-") {
				t.Fatalf("flags: %s", w)
			}
			h.name = w
		}
	}
}

func (h host) resolve(t *testing.T) (*Resolved, error) {
	t.Helper()
	m, err := h.loader.Merge(h.name, h.opts)
	if err != nil {
		return nil, err
	}
	return m.Resolve(t.Context(), h.env)
}

// dump is what the golden files hold: every value with its origin, the notes,
// or the error with its hints.
func (h host) dump(res *Resolved, err error) string {
	var b strings.Builder
	if err != nil {
		fmt.Fprintf(&b, "error: %v\n", err)
		for _, hint := range hints(err) {
			fmt.Fprintf(&b, "hint: %s\n", hint)
		}
	} else {
		for _, o := range res.Origins {
			secret := ""
			if o.Secret {
				secret = " (secret)"
			}
			fmt.Fprintf(&b, "%s = %s%s  # %s %s\n", o.Path, strings.ReplaceAll(o.Value, "\n", `\n`), secret, o.Origin.Layer, o.Origin)
		}
		fmt.Fprintf(&b, "workspace: %s, workdir: %s\n", res.Profile.Workspace, res.Profile.Workdir)
		for _, v := range res.Profile.Volumes {
			fmt.Fprintf(&b, "volume: %s\n", v)
		}
		for _, e := range res.Profile.Env {
			fmt.Fprintf(&b, "env: %s=%s\n", e.Name, e.Value)
		}
		for _, s := range res.Profile.Servers {
			fmt.Fprintf(&b, "server: %s %s %s%s\n", s.Name, s.Type, s.Command, s.URL)
		}
		if res.Profile.ClaudeSettings != nil {
			settings, err := json.Marshal(res.Profile.ClaudeSettings)
			fmt.Fprintf(&b, "settings: %s, %v\n", settings, err)
		}
		for _, f := range res.Profile.SecretFiles {
			fmt.Fprintf(&b, "secret file: %s=%s\n", f.Name, f.Value)
		}
		for _, n := range res.Notes {
			fmt.Fprintf(&b, "note: %s %s %s: %s\n", n.Server, n.Field, n.Pos, n.Text)
		}
	}
	return profiletest.Neutral(b.String(), h.dir)
}

func hints(err error) []string {
	var list []string
	for _, e := range Errors(err) {
		if e.Fix != "" {
			list = append(list, e.Fix)
		}
	}
	if h, ok := errors.AsType[interface {
		error
		Hint() string
	}](err); ok && len(list) == 0 && h.Hint() != "" {
		list = append(list, h.Hint())
	}
	return list
}

func TestResolveGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/resolve/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	if runtime.GOOS != "windows" { // those that run shell scripts
		scripts, err := filepath.Glob("testdata/resolve/unix/*.txtar")
		if err != nil || len(scripts) == 0 {
			t.Fatal("no cases", err)
		}
		files = append(files, scripts...)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			h := newHost(t, ar)
			got := h.dump(h.resolve(t))
			last := &ar.Files[len(ar.Files)-1]
			if last.Name != "want" {
				t.Fatal("the last file must be want")
			}
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
