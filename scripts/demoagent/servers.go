//go:build linux

package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// token is what serve-time asks for: it proves that headers arrive.
const token = "Bearer demo"

type none struct{}

type note struct {
	Text string `json:"text" jsonschema:"one line to remember"`
}

func text(format string, args ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
}

// serveNotes is a stdio server with the notes in one file of the project.
func serveNotes(ctx context.Context, path string) error {
	s := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "add_note", Description: "Add a note"},
		func(_ context.Context, _ *mcp.CallToolRequest, in note) (*mcp.CallToolResult, any, error) {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
			if err != nil {
				return nil, nil, err
			}
			if _, err := fmt.Fprintf(f, "- %s\n", in.Text); err != nil {
				f.Close()
				return nil, nil, err
			}
			return text("noted"), nil, f.Close()
		})
	mcp.AddTool(s, &mcp.Tool{Name: "list_notes", Description: "List the notes"},
		func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, any, error) {
			data, err := os.ReadFile(path)
			if err != nil {
				return nil, nil, err
			}
			var notes []string
			for line := range strings.Lines(string(data)) {
				if note, ok := strings.CutPrefix(line, "- "); ok {
					notes = append(notes, strings.TrimSpace(note))
				}
			}
			return text("%d notes: %s", len(notes), strings.Join(notes, ", ")), nil, nil
		})
	return s.Run(ctx, &mcp.StdioTransport{})
}

// serveTime is an HTTP server that tells the time to who has the token.
func serveTime(addr string) error {
	s := mcp.NewServer(&mcp.Implementation{Name: "time", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "now", Description: "The time in the container"},
		func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, any, error) {
			return text("%s", time.Now().UTC().Format(time.DateTime)), nil, nil
		})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
	return http.ListenAndServe(addr, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != token {
			http.Error(w, "the token is missing or wrong", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
}
