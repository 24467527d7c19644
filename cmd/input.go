package cmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"heretic/mcpconf"
)

// maxInput bounds what is read from files and standard input that people give.
const maxInput = 64 << 20

// stdinName is how standard input is called in messages.
const stdinName = "standard input"

// readFile reads a file that the user named. Anything but a regular file is
// refused, since reading it may never end; /dev/fd/N, which a shell makes of
// <(command), is a regular case.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	dir, _ := filepath.Split(filepath.Clean(path))
	pipe := dir == "/dev/fd/" || dir == "/proc/self/fd/" || path == "/dev/stdin"
	switch {
	case info.IsDir():
		return nil, fmt.Errorf("%q is a directory", path)
	case !info.Mode().IsRegular() && !pipe:
		return nil, fmt.Errorf("%q is not a regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readAll(file, fmt.Sprintf("%q", path))
}

func readAll(r io.Reader, name string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(data) > maxInput {
		return nil, fmt.Errorf("%s is larger than %d MB", name, maxInput>>20)
	}
	return data, nil
}

// mcpInput is MCP configuration that the user pointed at.
type mcpInput struct {
	source mcpconf.Source
	data   []byte
}

// readMCP reads a file with MCP servers, or standard input for "-".
func (a *App) readMCP(path, format string) (mcpInput, error) {
	if path == "-" {
		data, err := readAll(a.IO.In, stdinName)
		return mcpInput{mcpconf.Source{Name: stdinName, Format: format}, data}, err
	}
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("MCP file not found: %s", path)
	}
	return mcpInput{mcpconf.Source{Name: path, Format: format}, data}, err
}

// readMCPFlag reads the value of --mcp: a path, inline JSON, or "-".
func (a *App) readMCPFlag(value string) (mcpInput, error) {
	text := strings.TrimSpace(value)
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		return mcpInput{mcpconf.Source{Name: "--mcp"}, []byte(value)}, nil
	}
	in, err := a.readMCP(value, "")
	if err != nil && value != "-" {
		err = withHint(err, "--mcp takes a file, JSON that begins with { or [, or - for standard input")
	}
	return in, err
}

// parse reads the servers. A source without content has none, with a note.
func (in mcpInput) parse() (mcpconf.Set, error) {
	set, err := mcpconf.Parse(in.source, in.data)
	if errors.Is(err, mcpconf.ErrEmpty) {
		err = nil
	}
	return set, err
}

// printNotes prints notes to standard error, one line each.
func (a *App) printNotes(notes []mcpconf.Note) {
	for _, n := range notes {
		a.IO.Note(noteText(n))
	}
}

func noteText(n mcpconf.Note) string {
	switch {
	case n.Server == "":
		return n.Text
	case n.Field == "":
		return fmt.Sprintf("MCP server '%s': %s", n.Server, n.Text)
	default:
		return fmt.Sprintf("MCP server '%s', %s: %s", n.Server, n.Field, n.Text)
	}
}
