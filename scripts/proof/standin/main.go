// Standin plays a model for agents that cannot reach one: it answers the APIs
// of Anthropic, OpenAI (chat completions and responses) and Gemini on a port of
// the loopback interface, and runs an agent beside it.
//
//	standin [-addr A] [-log FILE] -call TOOL=ARGS... -- agent args...
//
// Where the agent offers tools, the model asks for the calls in turn: TOOL is
// the end of the tool's name, as each agent puts a prefix of its own before it.
// When all calls have their results the model says so, and the results with it.
// Each request for the model is a line of JSON in the log. The exit code is the
// agent's.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
)

// call is a tool that the model asks for.
type call struct {
	tool string
	args json.RawMessage
}

type calls []call

func (c *calls) String() string { return fmt.Sprint(*c) }

func (c *calls) Set(s string) error {
	tool, args, ok := strings.Cut(s, "=")
	if !ok || !json.Valid([]byte(args)) {
		return fmt.Errorf("%q is not TOOL=JSON", s)
	}
	*c = append(*c, call{tool, json.RawMessage(args)})
	return nil
}

func main() {
	code, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "standin:", err)
		code = 125
	}
	os.Exit(code)
}

func run() (int, error) {
	var todo calls
	addr := flag.String("addr", "127.0.0.1:8089", "listen here")
	logFile := flag.String("log", os.DevNull, "append what the agent asked to this `file`")
	flag.Var(&todo, "call", "ask for this `TOOL=ARGS`")
	flag.Parse()
	if flag.NArg() == 0 {
		return 0, errors.New("no agent to run")
	}
	log, err := os.OpenFile(*logFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return 0, err
	}
	defer log.Close()
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		return 0, err
	}
	server := &http.Server{Handler: &model{todo: todo, log: json.NewEncoder(log)}}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()

	cmd := exec.Command(flag.Arg(0), flag.Args()[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	server.Close()
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return 0, err
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), nil
	}
	return 0, err
}
