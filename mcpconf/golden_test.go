package mcpconf

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares with a file of testdata/golden.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func goldenServers(t *testing.T, name string) []Server {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "golden", name))
	if err != nil {
		t.Fatal(err)
	}
	set, err := Parse(Source{Name: name}, data)
	if err != nil {
		t.Fatal(err)
	}
	return set.Servers
}

func noteLines(notes []Note) []byte {
	var b bytes.Buffer
	for _, n := range notes {
		fmt.Fprintf(&b, "%s: %s: %s\n", n.Server, n.Field, n.Text)
	}
	return b.Bytes()
}

func extension(form Form) string {
	row, _ := rowOf(form)
	return strings.ToLower(string(row.syn))
}

// TestRenderGolden has two files for each form: what it makes of a set of
// servers, and the notes about it. Each server stands alone, so that one that
// is refused does not hide the others.
func TestRenderGolden(t *testing.T) {
	for dir, opt := range map[string]RenderOptions{
		"plain": {PassEnv: []string{"HTTPS_PROXY"}},
		"refs":  {KeepRefs: true},
	} {
		servers := goldenServers(t, dir+"/in.yaml")
		for _, form := range Forms() {
			t.Run(dir+"/"+string(form), func(t *testing.T) {
				var good []Server
				var notes bytes.Buffer
				for _, s := range servers {
					if _, err := Render(form, []Server{s}, opt); err != nil {
						fmt.Fprintf(&notes, "error: %v\n", err)
						continue
					}
					good = append(good, s)
				}
				out, err := Render(form, good, opt)
				if err != nil {
					t.Fatal(err)
				}
				notes.Write(noteLines(out.Notes))
				golden(t, dir+"/"+string(form)+"."+extension(form), out.Data)
				golden(t, dir+"/"+string(form)+".notes", notes.Bytes())
			})
		}
	}
}
