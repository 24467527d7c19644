package cmd

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

const troubleshooting = "../docs/troubleshooting.md"

// TestTroubleshootingHasEveryError holds the page to the error texts of the
// source. An entry covers a text when its words are there in the same order and
// are at least two thirds of it; … stands for what differs.
func TestTroubleshootingHasEveryError(t *testing.T) {
	var entries []string
	for line := range strings.SplitSeq(documents(t)[troubleshooting], "\n") {
		entries = append(entries, messagesOf(line)...)
	}
	texts := errorTexts(t)
	if len(texts) < 250 {
		t.Fatalf("only %d error texts found: the search for them is broken", len(texts))
	}
	for _, text := range texts {
		if !slices.ContainsFunc(entries, func(entry string) bool { return covers(entry, text.text) }) {
			t.Errorf("%s: %q is not in docs/troubleshooting.md", text.pos, text.text)
		}
	}
}

// messagesOf are the messages that a line of the page's tables explains.
func messagesOf(line string) []string {
	if !strings.HasPrefix(line, "| `") {
		return nil
	}
	cell, _, _ := strings.Cut(line[1:], "| ")
	return codeSpans(cell)
}

// covers tells whether an entry of the page is about an error text.
func covers(entry, text string) bool {
	rest, words := text, 0
	for fragment := range strings.SplitSeq(entry, "…") {
		fragment = strings.TrimSpace(fragment)
		_, behind, ok := strings.Cut(rest, fragment)
		if !ok {
			return false
		}
		rest, words = behind, words+len(fragment)
	}
	return words*3 >= 2*len(strings.ReplaceAll(text, "…", ""))
}

func TestCovers(t *testing.T) {
	for _, tt := range []struct {
		entry, text string
		want        bool
	}{
		{"no such agent: …", `no such agent: "…"`, true},
		{"expected a list, found …", "expected a list, found …", true},
		{"found …, expected a list", "expected a list, found …", false},
		{"expected …, found …", "expected a list of servers, found …", false},
		{"…", "expected a list, found …", false},
		{"not", "not a folder", false},
	} {
		if got := covers(tt.entry, tt.text); got != tt.want {
			t.Errorf("covers(%q, %q) = %v", tt.entry, tt.text, got)
		}
	}
}

// errorText is a text of the source that an error shows.
type errorText struct{ pos, text string }

// errorTexts finds the texts of errors and warnings in the product's source:
// what constructors of errors are given, fields of error types, and what Error
// methods put together.
func errorTexts(t *testing.T) []errorText {
	t.Helper()
	fset := token.NewFileSet()
	var texts []errorText
	add := func(e ast.Expr) {
		if text := message(e); wordsIn(text) > 1 {
			texts = append(texts, errorText{fset.Position(e.Pos()).String(), text})
		}
	}
	for _, room := range []string{"cmd", "session", "profile", "mcpconf", "runner"} {
		err := filepath.WalkDir(filepath.Join("..", room), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && slices.Contains([]string{"testdata", "runnertest", "walltest", "faulttest", "fakeengine"}, d.Name()):
				return fs.SkipDir
			case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool { return textsAt(n, file.Name.Name, add) })
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

// wordsIn counts the words of a text. One alone is no message: it stands in
// front of one, or is the name of what another message is about.
func wordsIn(text string) int {
	n := 0
	for word := range strings.FieldsSeq(text) {
		if strings.ContainsFunc(word, unicode.IsLetter) {
			n++
		}
	}
	return n
}

// textsAt calls add for the texts of one node, and tells whether to look
// below it.
func textsAt(n ast.Node, pkg string, add func(ast.Expr)) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if n.Recv == nil || n.Name.Name != "Error" || n.Body == nil {
			return true
		}
		ast.Inspect(n.Body, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if ok && message(e) != "" {
				add(e)
				return false
			}
			return true
		})
		return false
	case *ast.CallExpr:
		if text := textArgument(n, pkg); text != nil {
			add(text)
		}
	case *ast.CompositeLit:
		if name, ok := n.Type.(*ast.Ident); ok && strings.HasSuffix(name.Name, "Error") || isErrorOf(n.Type) {
			textFields(n, add)
		}
	}
	return true
}

// textArgument is the argument of a call that is the text of an error: the
// format, or what stands for it. The constructors of the rooms have it last of
// their strings.
func textArgument(call *ast.CallExpr, pkg string) ast.Expr {
	name := ""
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		name = fun.Name
	case *ast.SelectorExpr:
		name = fun.Sel.Name
		if of, ok := fun.X.(*ast.Ident); ok && (of.Name == "errors" || of.Name == "fmt") {
			name = of.Name + "." + name
		}
	}
	switch {
	case pkg == "cmd" && (name == "withHint" || name == "fail"): // errors are given to them
		return nil
	case name == "withHint":
		return call.Args[1] // behind the hint
	}
	if !slices.Contains([]string{"errors.New", "fmt.Errorf", "fail", "ErrorAt", "serverError", "nameError", "wrap", "Warn"}, name) {
		return nil
	}
	for _, arg := range slices.Backward(call.Args) {
		if message(arg) != "" && strings.Contains(message(arg), " ") {
			return arg
		}
	}
	return nil
}

func isErrorOf(e ast.Expr) bool {
	sel, ok := e.(*ast.SelectorExpr)
	return ok && strings.HasSuffix(sel.Sel.Name, "Error")
}

// textFields calls add for the text in a literal of an error type.
func textFields(lit *ast.CompositeLit, add func(ast.Expr)) {
	for _, e := range lit.Elts {
		pair, keyed := e.(*ast.KeyValueExpr)
		if !keyed {
			add(e)
			return // a hint is behind the text
		}
		key, _ := pair.Key.(*ast.Ident)
		if key != nil && !strings.EqualFold(key.Name, "hint") && !strings.EqualFold(key.Name, "fix") && key.Name != "what" {
			add(pair.Value)
		}
	}
}

// message is the text that an expression makes, with … for what differs; empty
// where it makes none.
func message(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		if e.Kind != token.STRING || err != nil {
			return ""
		}
		return ellipses(strings.NewReplacer("%%", "%").Replace(verbs().ReplaceAllString(text, "…")))
	case *ast.BinaryExpr:
		left, right := message(e.X), message(e.Y)
		if e.Op != token.ADD || left == "" && right == "" {
			return ""
		}
		return ellipses(orEllipsis(left) + orEllipsis(right))
	case *ast.CallExpr:
		if fun, ok := e.Fun.(*ast.SelectorExpr); ok && fun.Sel.Name == "Sprintf" {
			return message(e.Args[0])
		}
	}
	return ""
}

func orEllipsis(s string) string {
	if s == "" {
		return "…"
	}
	return s
}

func ellipses(s string) string { return strings.ReplaceAll(s, "……", "…") }

// verbs matches the verbs of a format.
func verbs() *regexp.Regexp { return regexp.MustCompile(`%[#+ -]*[0-9.]*[a-zA-Z]`) }
