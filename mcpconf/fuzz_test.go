package mcpconf

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"gopkg.in/yaml.v3"

	"heretic/mcpconf/edit"
)

// addCases seeds a fuzzer with every case.
func addCases(f *testing.F) {
	files, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		in := txtar.Parse(data).Files[0]
		f.Add(in.Name, in.Data)
	}
}

// FuzzParse reads anything under any name: no panic, only typed errors that a
// terminal can show, and a result that renders or says why not.
func FuzzParse(f *testing.F) {
	addCases(f)
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		start := time.Now()
		set, err := Parse(Source{Name: name}, data)
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("took %v", d)
		}
		if err != nil {
			if strings.ContainsFunc(err.Error(), unicode.IsControl) {
				t.Errorf("%q has control characters", err)
			}
			_, server := errors.AsType[*ServerError](err)
			_, format := errors.AsType[*FormatError](err)
			if !server && !format {
				t.Errorf("%T: %v", err, err)
			}
			return
		}
		names := map[string]bool{}
		for _, s := range set.Servers {
			if s.Name == "" || names[s.Name] {
				t.Errorf("the name %q is empty or there twice", s.Name)
			}
			names[s.Name] = true
		}
		checkRoundTrips(t, set.Servers)
	})
}

// checkRoundTrips renders servers in each form and reads them back.
func checkRoundTrips(t *testing.T, servers []Server) {
	for _, row := range formRows() {
		for _, s := range servers {
			s.Disabled = false
			out, err := Render(row.form, []Server{s}, RenderOptions{KeepRefs: true})
			if err != nil || len(out.Servers) == 0 {
				continue // refused or left out, which golden files show
			}
			if mentions(s, "${"+WorkspaceVar, "${"+HomeVar) {
				continue // the form's own names for these places are read as what they are
			}
			if row.refs.open != "${" && mentions(s, "$${") {
				continue // literal for the agent, a variable for the parser
			}
			if s.Type == Stdio && len(s.Args) == 0 && !row.splits && strings.ContainsFunc(s.Command, unicode.IsSpace) {
				continue // one path for the agent, a command line for the parser
			}
			if strings.Contains(string(noteLines(out.Notes)), "is lost") {
				continue // the default of a variable
			}
			if row.refs.textual && bytes.Contains(out.Data, []byte(`\u007bfile:`)) {
				continue // an escape that only the agent's own reader sees
			}
			want := expressible(row, s)
			back, err := Parse(Source{Name: "back." + strings.ToLower(string(row.syn)), Format: string(row.form)}, out.Data)
			if err != nil || len(back.Servers) != 1 {
				t.Fatalf("%s cannot be read back: %v\n%s", row.form, err, out.Data)
			}
			if got := back.Servers[0]; !canonical(got).Equal(canonical(want)) {
				t.Fatalf("%s (-want +got):\n%s\n%s", row.form, cmp.Diff(neutralOf([]Server{want}), neutralOf([]Server{got})), out.Data)
			}
		}
	}
}

func mentions(s Server, words ...string) bool {
	found := false
	_, _ = s.Map(func(_, v string, _ Pos) (string, error) {
		found = found || slices.ContainsFunc(words, func(w string) bool { return strings.Contains(v, w) })
		return v, nil
	})
	return found
}

// canonical brings maps into one order (Codex has keys of their own for values
// that are references) and literal text into one spelling.
func canonical(s Server) Server {
	row, _ := rowOf(Heretic)
	s, _ = s.Map(func(_, v string, _ Pos) (string, error) {
		var b strings.Builder
		for _, p := range splitRefs(v) {
			text := p.text
			if p.name == "" {
				text, _ = row.refs.literal(p.text, false)
			}
			b.WriteString(text)
		}
		return b.String(), nil
	})
	byName := func(a, b Var) int { return strings.Compare(a.Name, b.Name) }
	s.Env = slices.SortedFunc(slices.Values(s.Env), byName)
	s.Headers = slices.SortedFunc(slices.Values(s.Headers), byName)
	return s
}

// expressible is what is left of a server in a form.
func expressible(row formRow, s Server) Server {
	if s.Type != Stdio {
		if !row.remoteEnv {
			s.Env = nil
		}
		s.Cwd = ""
		word := row.words[s.Type]
		if s.Type == SSE && (word == "remote" || word == "" && row.form != Qwen) {
			s.Type = HTTP // the agent finds out itself
		}
	} else {
		s.Headers = nil
		if !row.cwd {
			s.Cwd = ""
		}
	}
	if row.tools == "" {
		s.Tools = nil
	}
	if row.exclude == "" {
		s.ExcludeTools = nil
	}
	s.StartupTimeout = limit(s.StartupTimeout, row.startup, row)
	s.Timeout = limit(s.Timeout, row.timeout, row)
	return s
}

func limit(d time.Duration, key string, row formRow) time.Duration {
	switch {
	case key == "":
		return 0
	case row.fraction:
		return d
	default:
		return (d + row.unit - 1) / row.unit * row.unit
	}
}

// FuzzRoundTrip makes one server of anything: parse(render(x)) = x, for all
// that the form can express.
func FuzzRoundTrip(f *testing.F) {
	f.Add("fs", "npx", "-y", "a b\nc", "KEY", "p$ssw0rd ${X} $${Y}", "/srv", "https://h.example/mcp?a=1&b=<2>", "Bearer ${KEY}", int64(1500))
	f.Add("a.b", "uvx", "", "${X:-d}", "K_1", `"\u007benv:X}`, "", "https://h.example/", "{file:/x}", int64(0))
	f.Add("é", "x", "\\", "#", "é", "'''", " ", "wss://x", "=", int64(30_000))
	f.Fuzz(func(t *testing.T, name, command, arg1, arg2, key, value, cwd, url, header string, timeout int64) {
		stdio := Server{
			Name: name, Type: Stdio, Command: command, Args: []string{arg1, arg2}, Cwd: cwd,
			Env: Vars{{key, value}, {"OTHER", arg1}}, Tools: []string{name}, ExcludeTools: []string{command},
			Timeout: time.Duration(timeout%1e6) * time.Millisecond,
		}
		remote := Server{Name: name, Type: HTTP, URL: url, Headers: Vars{{key, header}}, Env: Vars{{key, value}}}
		sse := Server{Name: name, Type: SSE, URL: url}
		for _, s := range []Server{stdio, remote, sse} {
			// What the parser refuses or changes is not a server of ours.
			set, err := ParseNode("in", NodeOf([]Server{s}))
			if err != nil || len(set.Servers) != 1 || !set.Servers[0].Equal(s) || s.Timeout < 0 {
				continue
			}
			checkRoundTrips(t, set.Servers)
		}
	})
}

// FuzzUpdate puts servers into anything: the result can be read, has them, and
// a second time changes nothing.
func FuzzUpdate(f *testing.F) {
	f.Add([]byte("{\n  // c\n  \"theme\": \"x\",\n}\n"))
	f.Add([]byte("model = \"x\"\n[mcp_servers.old]\ncommand = \"y\"\n\n[z]\nk = 1\n"))
	f.Add([]byte("mcp_servers.a.command = 'x'"))
	f.Add([]byte("{\"mcpServers\": {\"a\": {\"command\": \"y\"}, \"old\": {}}}"))
	servers := []Server{
		{Name: "a", Type: Stdio, Command: "x", Args: []string{"1"}, Env: Vars{{"K", "v"}}},
		{Name: "b c", Type: HTTP, URL: "https://b.example/mcp"},
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for form, file := range map[Form]string{Gemini: "settings.json", Codex: "config.toml", Acpx: ".acpxrc.json"} {
			list := servers
			if form == Codex {
				list = servers[:1]
			}
			opt := RenderOptions{Earlier: []string{"old"}}
			out, err := Update(form, file, data, list, opt)
			if err != nil {
				continue
			}
			set, err := Parse(Source{Name: file, Format: string(form)}, out.Data)
			if err != nil {
				// The file's other servers may be anything.
				continue
			}
			for _, want := range list {
				i := indexOf(set.Servers, want.Name)
				if i < 0 || !set.Servers[i].Equal(want) {
					t.Fatalf("%s: %q is missing or another\nin:\n%s\nout:\n%s", form, want.Name, data, out.Data)
				}
			}
			row, _ := rowOf(form)
			if _, ok, _ := edit.Get(file, out.Data, []string{row.key, "old"}); ok && !row.list {
				t.Fatalf("%s: an earlier server is left\n%s", form, out.Data)
			}
			again, err := Update(form, file, out.Data, list, opt)
			if err != nil || !bytes.Equal(again.Data, out.Data) {
				t.Fatalf("%s: a second time, error %v\n%s\nbecame\n%s", form, err, out.Data, again.Data)
			}
		}
	})
}

func indexOf(servers []Server, name string) int {
	for i, s := range servers {
		if s.Name == name {
			return i
		}
	}
	return -1
}

// FuzzParseNode reads any YAML as a profile's mcp, and what NodeOf writes
// back.
func FuzzParseNode(f *testing.F) {
	f.Add([]byte("- {name: a, command: x}\n- https://b.example/mcp\n"))
	f.Add([]byte("a: &a {command: x}\nb: {<<: *a}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var n yaml.Node
		if len(data) > 1<<16 || yaml.Unmarshal(data, &n) != nil {
			return
		}
		set, err := ParseNode("in", &n)
		if err != nil {
			return
		}
		back, err := ParseNode("back", NodeOf(set.Servers))
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range set.Servers {
			if !s.Equal(back.Servers[i]) {
				t.Fatalf("(-want +got):\n%s", cmp.Diff(neutralOf(set.Servers), neutralOf(back.Servers)))
			}
		}
	})
}
