// Heretic launches AI coding agents in containers, on the user's project, with
// the user's MCP servers in place.
package main

import (
	"os"

	"heretic/cmd"
)

func main() {
	os.Exit(cmd.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
