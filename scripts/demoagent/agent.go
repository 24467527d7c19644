//go:build linux

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// agent connects to every server of the configuration, lists its tools and
// calls the last one of them. It fails when a server does not answer.
func agent(ctx context.Context, agentType string, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	servers, path, err := readConfig(agentType)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "I play %s and read %s\n\n", agentType, path)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SERVER\tTRANSPORT\tTOOLS\tA CALL")
	var errs []error
	for _, s := range servers {
		tools, call, err := visit(ctx, s)
		if err != nil {
			errs = append(errs, fmt.Errorf("server %s: %w", s.Name, err))
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", s.Name, s.kind(), strings.Join(tools, ", "), call)
	}
	return errors.Join(append(errs, w.Flush())...)
}

// chat answers lines until one says bye, or they end.
func chat(in io.Reader, out io.Writer) error {
	fmt.Fprint(out, "\nWhat shall I do?\n> ")
	lines := bufio.NewScanner(in)
	for lines.Scan() && lines.Text() != "bye" {
		fmt.Fprintf(out, "I only play an agent; a real one would now %s.\n> ", lines.Text())
	}
	return lines.Err()
}

func (s server) kind() string {
	if s.URL != "" {
		return "http"
	}
	return "stdio"
}

func (s server) transport() mcp.Transport {
	if s.URL != "" {
		return &mcp.StreamableClientTransport{
			Endpoint:   s.URL,
			HTTPClient: &http.Client{Transport: withHeaders{s.Headers}},
		}
	}
	cmd := exec.Command(s.Command, s.Args...)
	cmd.Env = os.Environ()
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Stderr = os.Stderr
	return &mcp.CommandTransport{Command: cmd}
}

// visit connects to a server and returns its tools, and the answer of one.
func visit(ctx context.Context, s server) (tools []string, call string, err error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "demo-agent", Version: "1"}, nil)
	session, err := client.Connect(ctx, s.transport(), nil)
	if err != nil {
		return nil, "", err
	}
	defer session.Close()
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return nil, "", err
		}
		tools = append(tools, tool.Name)
	}
	if len(tools) == 0 {
		return nil, "", errors.New("it has no tools")
	}
	name := tools[len(tools)-1]
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: map[string]any{}})
	if err != nil {
		return nil, "", fmt.Errorf("tool %s: %w", name, err)
	}
	var text []string
	for _, c := range result.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			text = append(text, t.Text)
		}
	}
	if result.IsError {
		return nil, "", fmt.Errorf("tool %s: %s", name, strings.Join(text, " "))
	}
	return tools, fmt.Sprintf("%s: %s", name, strings.Join(text, " ")), nil
}

// withHeaders adds headers to each request.
type withHeaders struct{ headers map[string]string }

func (t withHeaders) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	for name, value := range t.headers {
		req.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(req)
}
