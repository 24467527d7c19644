//go:build linux

// Testagent is the program in the image that the end-to-end tests run. It
// plays one role, chosen by its first argument; without arguments it prints
// the MCP configuration where an agent type would read it.
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
)

// role is one thing that the program can do.
type role struct {
	args string
	doc  string
	run  func(args []string) int
}

func roles() map[string]role {
	return map[string]role{
		"config":  {"[PATH...]", "print configuration files, by default where agent types read theirs", config},
		"env":     {"[NAME...]", "print the environment, or `NAME=value` of each", env},
		"args":    {"[ARG...]", "print each argument quoted, one a line", args},
		"whoami":  {"", "print pid, uid, gid, groups, home and working directory", whoami},
		"stat":    {"PATH...", "print type, mode, uid, gid, size and path of each; exit 1 when one is missing", stat},
		"tree":    {"PATH", "the same for everything below a directory", tree},
		"cat":     {"[PATH...]", "copy files, or standard input, to standard output", cat},
		"write":   {"PATH TEXT", "write a file in place", write},
		"replace": {"PATH TEXT", "write a file by renaming a temporary one", replace},
		"remove":  {"PATH...", "remove files", remove},
		"mounts":  {"", "print the mount table", mounts},
		"listen":  {"ADDRESS", "answer each connection with one line", listen},
		"dial":    {"ADDRESS", "connect and print what comes", dial},
		"exit":    {"CODE", "exit with a code", exit},
		"die":     {"SIGNAL", "be killed by a signal (a child of pid 1 is, and its code passed on)", die},
		"out":     {"TEXT [ERRTEXT]", "write to standard output and standard error", out},
		"sleep":   {"SECONDS", "say `ready`, then sleep; the first TERM, INT or HUP ends it with 128+n", sleep},
		"ignore":  {"SECONDS", "say `ready`, then sleep, deaf to HUP, INT, QUIT and TERM", ignore},
		"signals": {"COUNT", "say `ready`, then print the name of each signal; exit 0 after COUNT", signals},
		"burst":   {"MEGABYTES [SEED]", "write that much, reproducible, to standard output", burst},
		"hash":    {"", "print length and SHA-256 of standard input", hash},
		"await":   {"ROLE ARGS...", "read one line of standard input, then play a role", await},
		"lines":   {"COUNT [MILLISECONDS]", "write numbered lines, with a pause between", lines},
		"size":    {"", "print rows and columns of the terminal", size},
		"screen":  {"", "draw a full screen with its size, redraw on WINCH; keys are shown; q quits", screen},
		"modes":   {"", "turn on what full-screen programs turn on, then die of KILL", modes},
		"tty":     {"", "print which of the standard streams are terminals", tty},
		"run":     {"ROLE ARGS... [-- ROLE ARGS...]...", "play roles one after the other; exit with the last one's code", run},
	}
}

func main() {
	argv := os.Args[1:]
	if len(argv) == 0 {
		argv = []string{"config"}
	}
	os.Exit(play(argv))
}

func play(argv []string) int {
	all := roles()
	r, ok := all[argv[0]]
	if !ok {
		fmt.Fprintf(os.Stderr, "testagent: no role %q; the roles are:\n", argv[0])
		for _, name := range slices.Sorted(maps.Keys(all)) {
			fmt.Fprintf(os.Stderr, "  %s %s\n    \t%s\n", name, all[name].args, all[name].doc)
		}
		return 2
	}
	return r.run(argv[1:])
}

// run plays several roles, separated by "--".
func run(args []string) int {
	code := 0
	for len(args) > 0 {
		end := slices.Index(args, "--")
		if end < 0 {
			end = len(args)
		}
		if end > 0 {
			code = play(args[:end])
		}
		args = args[min(end+1, len(args)):]
	}
	return code
}

// fail reports an error as the role's end.
func fail(err error) int {
	fmt.Fprintln(os.Stderr, "testagent:", err)
	return 1
}

// number is args[i] as a number, or def where there is none.
func number(args []string, i, def int) int {
	if i >= len(args) {
		return def
	}
	n, err := strconv.Atoi(args[i])
	if err != nil {
		os.Exit(fail(err))
	}
	return n
}
