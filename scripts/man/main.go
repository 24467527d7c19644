// Man writes heretic's manual pages to a directory: go run ./scripts/man DIR.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"heretic/cmd"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: man DIR")
	}
	if err := os.MkdirAll(args[0], 0o755); err != nil {
		return err
	}
	root := cmd.Command()
	escape(root)
	return doc.GenManTree(root, &doc.GenManHeader{Title: "HERETIC", Section: "1", Source: "heretic", Manual: "heretic"}, args[0])
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
