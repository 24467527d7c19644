//go:build linux

// Demoagent is the only program in the image of the demo. It plays the agent
// and both of its MCP servers:
//
//	demo agent [TYPE]        read the MCP configuration where that agent type
//	                         has it, connect to every server, list and call tools
//	demo chat [TYPE]         the same, then answer each line that is typed; bye ends it
//	demo serve-notes FILE    MCP over standard input and output: notes in a file
//	demo serve-time ADDRESS  MCP over HTTP: the time, for who has the token
//	demo with-time COMMAND   start serve-time, as a service in the same container
//	                         would be, then run the command (the image's entrypoint)
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"time"
)

// timeAddress is where serve-time listens, inside the container only.
const timeAddress = "127.0.0.1:8931"

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			os.Exit(exit.ExitCode())
		}
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("want agent, chat, serve-notes, serve-time or with-time")
	}
	switch role, rest := args[0], args[1:]; {
	case (role == "agent" || role == "chat") && len(rest) <= 1:
		agentType := "claude"
		if len(rest) == 1 {
			agentType = rest[0]
		}
		if err := agent(ctx, agentType, os.Stdout); err != nil || role == "agent" {
			return err
		}
		return chat(os.Stdin, os.Stdout)
	case role == "serve-notes" && len(rest) == 1:
		return serveNotes(ctx, rest[0])
	case role == "serve-time" && len(rest) == 1:
		return serveTime(rest[0])
	case role == "with-time" && len(rest) > 0:
		return withTime(ctx, rest)
	}
	return fmt.Errorf("wrong arguments: %q", args)
}

// withTime runs a command beside a running serve-time.
func withTime(ctx context.Context, argv []string) error {
	server := exec.CommandContext(ctx, "/proc/self/exe", "serve-time", timeAddress)
	server.Stderr = os.Stderr
	if err := server.Start(); err != nil {
		return err
	}
	defer func() {
		server.Process.Kill()
		server.Wait()
	}()
	if err := awaitListener(ctx, timeAddress); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}

func awaitListener(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(10 * time.Millisecond):
		}
	}
}
