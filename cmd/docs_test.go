package cmd

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// documents are the pages for users, by path.
func documents(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../docs/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal("no documents", err)
	}
	docs := map[string]string{}
	for _, f := range append(files, "../README.md") {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		docs[filepath.ToSlash(f)] = string(data)
	}
	return docs
}

// goSource is the text of all Go files, of tests or of the product.
func goSource(t *testing.T, tests bool) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") != tests {
			return err
		}
		data, err := os.ReadFile(path)
		b.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// codeSpans are the texts in backquotes of a line.
func codeSpans(line string) []string {
	var spans []string
	parts := strings.Split(line, "`")
	for i := 1; i < len(parts); i += 2 {
		spans = append(spans, parts[i])
	}
	return spans
}

// TestDocumentsNameWhatExists holds the documents to the commands, flags,
// files and tests that there are.
func TestDocumentsNameWhatExists(t *testing.T) {
	tests := goSource(t, true)
	root := testRoot(t)
	for file, text := range documents(t) {
		for line := range strings.SplitSeq(text, "\n") {
			for _, span := range codeSpans(line) {
				if words := strings.Fields(span); len(words) > 1 && words[0] == "heretic" {
					checkCommand(t, file, root, words[1:])
				}
				if (strings.HasPrefix(span, "Test") || strings.HasPrefix(span, "Fuzz")) && !strings.Contains(tests, "func "+span+"(") {
					t.Errorf("%s: there is no %s", file, span)
				}
			}
			if words := strings.Fields(strings.TrimPrefix(line, "$ ")); len(words) > 1 && words[0] == "heretic" {
				checkCommand(t, file, root, words[1:])
			}
			checkLinks(t, file, line)
		}
	}
}

// checkLinks holds the links of a line to files that are there.
func checkLinks(t *testing.T, file, line string) {
	for i, part := range strings.Split(line, "](") {
		to, _, ok := strings.Cut(part, ")")
		if i == 0 || !ok || strings.Contains(to, "://") {
			continue
		}
		to, _, _ = strings.Cut(to, "#")
		if _, err := os.Stat(filepath.Join(filepath.Dir(file), to)); err != nil {
			t.Errorf("%s: a link to %s: %v", file, to, err)
		}
	}
}

// TestTroubleshootingQuotesTheProduct holds the first column of its tables to
// the texts in the source; … stands for what differs.
func TestTroubleshootingQuotesTheProduct(t *testing.T) {
	source := strings.ReplaceAll(goSource(t, false), `\"`, `"`)
	checked := 0
	for line := range strings.SplitSeq(documents(t)[troubleshooting], "\n") {
		for _, entry := range messagesOf(line) {
			for fragment := range strings.SplitSeq(entry, "…") {
				if fragment = strings.Trim(fragment, " '"); !strings.Contains(source, fragment) {
					t.Errorf("nothing prints %q", fragment)
				}
			}
			checked++
		}
	}
	if checked == 0 {
		t.Error("no messages found")
	}
}

// checkCommand holds a command line to the commands and flags that there are.
// A word that is no command is an agent's name.
func checkCommand(t *testing.T, file string, root *cobra.Command, words []string) {
	t.Helper()
	found, _, err := root.Find(words[:1])
	if err != nil || found == root {
		found, _, _ = root.Find([]string{"run"})
	} else if len(words) > 1 {
		if sub, _, err := found.Find(words[1:2]); err == nil {
			found = sub
		}
	}
	for _, w := range words {
		if w == "--" || strings.HasPrefix(w, "#") {
			return
		}
		name, ok := strings.CutPrefix(strings.TrimRight(w, ",.;)"), "--")
		name, _, _ = strings.Cut(name, "=")
		if ok && name != "help" && found.Flags().Lookup(name) == nil && root.PersistentFlags().Lookup(name) == nil {
			t.Errorf("%s: heretic %s: there is no flag --%s", file, strings.Join(words, " "), name)
		}
	}
}
