package mcpconf

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// neutral is how the cases write a server.
type neutral struct {
	Name     string            `json:"name"`
	Type     string            `json:"type"`
	Command  string            `json:"command,omitempty"`
	Args     []string          `json:"args,omitempty"`
	Cwd      string            `json:"cwd,omitempty"`
	URL      string            `json:"url,omitempty"`
	Headers  map[string]string `json:"headers,omitempty"`
	Env      map[string]string `json:"env,omitempty"`
	Tools    []string          `json:"tools,omitempty"`
	Exclude  []string          `json:"excludeTools,omitempty"`
	Startup  string            `json:"startupTimeout,omitempty"`
	Timeout  string            `json:"timeout,omitempty"`
	Disabled bool              `json:"disabled,omitempty"`
}

func neutralOf(servers []Server) []neutral {
	out := []neutral{}
	for _, s := range servers {
		n := neutral{
			Name: s.Name, Type: string(s.Type), Command: s.Command, Args: s.Args, Cwd: s.Cwd, URL: s.URL,
			Headers: mapOf(s.Headers), Env: mapOf(s.Env), Tools: s.Tools, Exclude: s.ExcludeTools, Disabled: s.Disabled,
		}
		if s.Timeout != 0 {
			n.Timeout = s.Timeout.String()
		}
		if s.StartupTimeout != 0 {
			n.Startup = s.StartupTimeout.String()
		}
		out = append(out, n)
	}
	return out
}

func mapOf(vars Vars) map[string]string {
	if len(vars) == 0 {
		return nil
	}
	m := map[string]string{}
	for _, v := range vars {
		m[v.Name] = v.Value
	}
	return m
}

// TestCases runs testdata/cases: a file in.EXT, then want.json or error, and
// notes, of which each line must be part of a note.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil || len(files) < 98 {
		t.Fatalf("found %d cases, error %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			runCase(t, ar)
		})
	}
}

func runCase(t *testing.T, ar *txtar.Archive) {
	in := ar.Files[0]
	set, err := Parse(Source{Name: in.Name}, in.Data)
	if errors.Is(err, ErrEmpty) {
		err = nil
	}
	for _, f := range ar.Files[1:] {
		switch f.Name {
		case "error":
			want := strings.ReplaceAll(strings.TrimSpace(string(f.Data)), "<source>", in.Name)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error = %v\nwant %s", err, want)
			}
			err = nil
		case "want.json":
			var want []neutral
			dec := json.NewDecoder(bytes.NewReader(f.Data))
			dec.DisallowUnknownFields()
			if e := dec.Decode(&want); e != nil {
				t.Fatal(e)
			}
			if diff := cmp.Diff(want, neutralOf(set.Servers)); diff != "" {
				t.Errorf("servers (-want +got):\n%s", diff)
			}
		case "notes":
			for line := range strings.Lines(string(f.Data)) {
				if !hasNote(set.Notes, strings.TrimSpace(line)) {
					t.Errorf("no note has %q in %v", strings.TrimSpace(line), set.Notes)
				}
			}
		}
	}
	if err != nil {
		t.Errorf("error = %v", err)
	}
}

func hasNote(notes []Note, text string) bool {
	for _, n := range notes {
		if strings.Contains(n.Server+": "+n.Field+": "+n.Text, text) {
			return true
		}
	}
	return false
}

// A file of a test ends in a line break; what is piped need not.
func TestFragmentEndsInComment(t *testing.T) {
	set, err := Parse(Source{Name: "standard input"}, []byte(`"a": {"command": "x"} // the last one`))
	if err != nil || len(set.Servers) != 1 {
		t.Errorf("%+v, %v", set.Servers, err)
	}
}
