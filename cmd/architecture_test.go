package cmd_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rooms says which packages of heretic each room may import, and why not
// more. cmd may import all of them.
var rooms = []struct {
	room    string
	may     []string
	because string
}{
	{"session", []string{"profile", "mcpconf", "runner"}, "it puts one launch together and knows no command line"},
	{"profile", []string{"mcpconf"}, "reading profiles needs no engine and no session"},
	{"mcpconf", nil, "it is pure: servers in, servers out"},
	{"runner", nil, "it knows containers, not agents"},
}

// forbidden are packages outside of heretic that only some rooms may use.
var forbidden = []struct {
	prefix  string
	only    []string
	because string
}{
	{"github.com/spf13/cobra", []string{"cmd"}, "the command line is cmd's"},
	{"github.com/docker/docker/", []string{"runner"}, "the engine's types stay in runner"},
	{"github.com/docker/cli/", []string{"runner"}, "the engine's configuration is runner's to read"},
	{"github.com/mitchellh/go-homedir", []string{"cmd"}, "the home directory is resolved once and injected"},
	{"net/http", []string{"runner", "cmd"}, "no server is contacted while resolving"},
}

type goPackage struct {
	ImportPath  string
	Dir         string
	GoFiles     []string
	Imports     []string
	ForTest     string
	TestGoFiles []string
}

func listPackages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Dir,GoFiles,Imports", "heretic/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// roomOf is the first element of an import path below the module.
func roomOf(path string) string {
	rest, ok := strings.CutPrefix(path, "heretic/")
	if !ok {
		return ""
	}
	room, _, _ := strings.Cut(rest, "/")
	return room
}

func TestImportsRunOneWay(t *testing.T) {
	for _, p := range listPackages(t) {
		from := roomOf(p.ImportPath)
		for _, rule := range rooms {
			if from != rule.room {
				continue
			}
			for _, imported := range p.Imports {
				to := roomOf(imported)
				if to != "" && to != from && !slices.Contains(rule.may, to) {
					t.Errorf("%s imports %s: %s", p.ImportPath, imported, rule.because)
				}
			}
		}
		for _, rule := range forbidden {
			for _, imported := range p.Imports {
				if strings.HasPrefix(imported, rule.prefix) && isRoom(from) && !slices.Contains(rule.only, from) {
					t.Errorf("%s imports %s: %s", p.ImportPath, imported, rule.because)
				}
			}
		}
	}
}

func isRoom(name string) bool {
	for _, rule := range rooms {
		if rule.room == name {
			return true
		}
	}
	return name == "cmd"
}

func TestEveryPackageHasOneDoc(t *testing.T) {
	for _, p := range listPackages(t) {
		var docs []string
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if file.Doc != nil {
				docs = append(docs, name)
			}
		}
		if len(p.GoFiles) > 0 && len(docs) != 1 {
			t.Errorf("%s: package docs in %q, want exactly one", p.ImportPath, docs)
		}
	}
}

// writers are the files that may change the host's files by a plain path, and
// why it is not one below a project. All else goes through an os.Root.
var writers = map[string]string{
	"profile/trust/store.go":      "approvals lie below HERETIC_HOME",
	"cmd/log.go":                  "the user names the log file",
	"cmd/editor.go":               "a temporary directory of ours",
	"cmd/agents_delete.go":        "global profiles; those of a project go through files.RemoveBelow",
	"cmd/internal/files/files.go": "the folder of a global profile",
}

func TestWritesGoThroughRoots(t *testing.T) {
	changes := []string{
		"Chmod", "Chown", "Chtimes", "Create", "CreateTemp", "Lchown", "Link", "Mkdir", "MkdirAll", "MkdirTemp",
		"Remove", "RemoveAll", "Rename", "Symlink", "Truncate", "WriteFile",
	}
	for _, p := range listPackages(t) {
		room := roomOf(p.ImportPath)
		if room == "scripts" || strings.HasSuffix(p.ImportPath, "test") || strings.Contains(p.ImportPath, "fakeengine") {
			continue
		}
		for _, name := range p.GoFiles {
			file := strings.TrimPrefix(p.ImportPath+"/"+name, "heretic/")
			tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				pkg, ok := sel.X.(*ast.Ident)
				if !ok || pkg.Name != "os" || writers[file] != "" {
					return true
				}
				if slices.Contains(changes, sel.Sel.Name) || strings.HasPrefix(sel.Sel.Name, "O_CREAT") && !throughRoot(tree) {
					t.Errorf("%s uses os.%s: write through an os.Root, or say in writers why not", file, sel.Sel.Name)
				}
				return true
			})
		}
	}
}

// throughRoot tells that no file of a source file is opened by a plain path.
func throughRoot(tree *ast.File) bool {
	plain := false
	ast.Inspect(tree, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "OpenFile" {
			pkg, ok := sel.X.(*ast.Ident)
			plain = plain || ok && pkg.Name == "os"
		}
		return true
	})
	return !plain
}
