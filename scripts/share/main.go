// Share writes what is installed beside the program, below a directory laid out
// as /usr/local/share is: go run ./scripts/share DIR.
//
//	man/man1                        a manual page for each command
//	bash-completion/completions     completion, for each shell
//	zsh/site-functions
//	fish/vendor_completions.d
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"heretic/cmd"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: share DIR")
		os.Exit(2)
	}
	if err := errors.Join(completions(os.Args[1]), manual(os.Args[1])); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func completions(dir string) error {
	root := cmd.Command()
	var errs []error
	for name, write := range map[string]func(io.Writer) error{
		"bash-completion/completions/heretic":    func(w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"zsh/site-functions/_heretic":            root.GenZshCompletion,
		"fish/vendor_completions.d/heretic.fish": func(w io.Writer) error { return root.GenFishCompletion(w, true) },
	} {
		var b bytes.Buffer
		path := filepath.Join(dir, name)
		errs = append(errs, write(&b), os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, b.Bytes(), 0o644))
	}
	return errors.Join(errs...)
}

func manual(dir string) error {
	dir = filepath.Join(dir, "man", "man1")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root := cmd.Command()
	escape(root)
	return doc.GenManTree(root, &doc.GenManHeader{Title: "HERETIC", Section: "1", Source: "heretic", Manual: "heretic"}, dir)
}

// escape keeps <words> from being taken for HTML: the pages are made by way of
// Markdown.
func escape(c *cobra.Command) {
	angles := strings.NewReplacer("<", `\<`, ">", `\>`)
	c.Use, c.Long = angles.Replace(c.Use), angles.Replace(c.Long)
	for _, sub := range c.Commands() {
		escape(sub)
	}
}
