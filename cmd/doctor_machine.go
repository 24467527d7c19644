package cmd

import (
	"context"
	"fmt"
	"os/exec"

	"heretic/runner"
)

// engine looks for the engine, and returns nil where none answers.
func (x *examination) engine(ctx context.Context) *runner.Engine {
	host, _ := x.app.Lookup("DOCKER_HOST")
	if name, _ := x.app.Lookup("DOCKER_CONTEXT"); host != "" && name != "" {
		x.add(finding{Check: "engine", Severity: warning,
			Text: "DOCKER_HOST and DOCKER_CONTEXT are both set; DOCKER_HOST counts", Fix: "unset DOCKER_HOST"})
	}
	engine, err := x.app.Engine(ctx)
	if err != nil {
		x.fail("engine", "", err)
		return nil
	}
	info, err := engine.Info(ctx)
	if err != nil {
		x.fail("engine", "", err)
		return nil
	}
	x.add(finding{Check: "engine", Severity: good,
		Text: fmt.Sprintf("%s %s (API %s) at %s, chosen by %s", info.Name, info.Version, info.API, info.Host, info.Why)})
	if info.OS != "" && info.OS != "linux" {
		x.add(finding{Check: "engine", Severity: failure, Text: "it runs " + info.OS + " containers", Fix: "switch it to Linux containers"})
	}
	return engine
}

func (x *examination) terminal() {
	kind, _ := x.app.Lookup("TERM")
	switch {
	case !x.app.IO.InTTY || !x.app.IO.OutTTY:
		x.add(finding{Check: "terminal", Severity: note, Text: "standard input and output are no terminal: agents run without one, and nothing is asked"})
	case kind == "" || kind == "dumb":
		x.add(finding{Check: "terminal", Severity: warning, Text: fmt.Sprintf("TERM is %q: full-screen agents draw badly", kind), Fix: "export TERM=xterm-256color"})
	default:
		x.add(finding{Check: "terminal", Severity: good, Text: kind})
	}
}

func (x *examination) editor() {
	words, err := x.app.editorCommand()
	if err == nil {
		_, err = exec.LookPath(words[0])
	}
	if err != nil {
		x.add(finding{Check: "editor", Severity: warning, Text: err.Error(), Fix: "export EDITOR=<your editor>"})
		return
	}
	x.add(finding{Check: "editor", Severity: good, Text: words[0]})
}
