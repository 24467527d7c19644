package mcpconf

import (
	"strings"
	"unicode"

	"github.com/google/shlex"
	"gopkg.in/yaml.v3"
)

type transportWord struct {
	word string
	is   Transport
}

// transportWords are the spellings of the transports, without case.
func transportWords() []transportWord {
	return []transportWord{
		{"stdio", Stdio}, {"local", Stdio},
		{"http", HTTP}, {"streamable-http", HTTP}, {"streamableHttp", HTTP}, {"streamable_http", HTTP}, {"remote", HTTP},
		{"sse", SSE},
		{"ws", WS}, {"websocket", WS},
	}
}

// finish decides the transport and reads what it needs.
func (e *entry) finish() error {
	t, err := e.transport()
	if err != nil {
		return err
	}
	e.s.Type = t
	if t != Stdio {
		return e.finishRemote()
	}
	if e.url != nil {
		e.note("url", e.url, "ignored by a stdio server")
	}
	if len(e.s.Headers) > 0 {
		e.notef(e.s.Name, "headers", e.s.Pos)("ignored by a stdio server")
		e.s.Headers = nil
	}
	return e.finishStdio()
}

func (e *entry) transport() (Transport, error) {
	if e.word == nil {
		switch {
		case e.url == nil || !isText(e.url) && e.command != nil:
			return Stdio, nil
		case e.urlIs != "":
			return e.urlIs, nil
		case e.dialect.bareURL != "":
			return e.dialect.bareURL, nil
		}
		return HTTP, nil
	}
	if e.word.Kind != yaml.ScalarNode {
		return "", e.fail("type", e.word, "expected a string, found %s", kindOf(e.word))
	}
	var known []string
	for _, w := range transportWords() {
		if strings.EqualFold(w.word, e.word.Value) {
			return w.is, nil
		}
		known = append(known, w.word)
	}
	if e.command == nil {
		return "", e.fail("type", e.word, "unknown transport '%s'; known are %s", printable(e.word.Value), strings.Join(known, ", "))
	}
	e.note("type", e.word, "unknown transport '%s', read as stdio", printable(e.word.Value))
	return Stdio, nil
}

func (e *entry) finishRemote() error {
	if e.url == nil || isText(e.url) && strings.TrimSpace(e.url.Value) == "" {
		return missingError(e.s.Name, e.s.Pos, e.s.Type)
	}
	if !isText(e.url) {
		return e.fail("url", e.url, "expected a string, found %s", kindOf(e.url))
	}
	if e.command != nil {
		e.note("command", e.command, "ignored by a remote server")
	}
	if e.login != nil && len(e.s.Headers) == 0 {
		e.note("auth", e.login, "the server needs a login in the agent")
	}
	u, err := e.text("url", e.url)
	if err != nil {
		return err
	}
	e.s.URL = strings.TrimSpace(u)
	if !strings.Contains(u, "://") && !strings.Contains(u, "${") {
		e.note("url", e.url, "no http:// or https:// in it")
	}
	return nil
}

func (e *entry) finishStdio() error {
	if e.command == nil {
		return missingError(e.s.Name, e.s.Pos, Stdio)
	}
	var args []string
	var err error
	if e.args != nil {
		if args, err = e.texts("args", e.args); err != nil {
			return err
		}
	}
	if len(args) == 0 {
		args = nil
	}
	switch {
	case e.command.Kind == yaml.SequenceNode:
		var line []string
		if line, err = e.texts("command", e.command); err != nil {
			return err
		}
		e.shiftArgs(line, args)
	case isText(e.command):
		if err := e.commandLine(args); err != nil {
			return err
		}
	default:
		return e.fail("command", e.command, "expected a string or a list, found %s", kindOf(e.command))
	}
	e.unwrapCmd()
	if strings.TrimSpace(e.s.Command) == "" {
		return missingError(e.s.Name, e.s.Pos, Stdio)
	}
	return nil
}

// shiftArgs takes a command line as a list apart, and puts the places of its
// elements where the fields are now.
func (e *entry) shiftArgs(line, args []string) {
	places := make([]Pos, 0, len(line)+len(args))
	for i := range line {
		places = append(places, e.s.At(indexed("command", i)))
		delete(e.s.at, indexed("command", i))
	}
	for i := range args {
		places = append(places, e.s.At(indexed("args", i)))
	}
	e.setLine(append(line, args...), places)
}

// setLine sets command and args with their places.
func (e *entry) setLine(line []string, places []Pos) {
	e.s.Command, e.s.Args = "", nil
	for i, word := range line {
		path := "command"
		if i == 0 {
			e.s.Command = word
		} else {
			path = indexed("args", i-1)
			e.s.Args = append(e.s.Args, word)
		}
		e.s.at[path] = places[i]
	}
}

// commandLine splits a command that holds its arguments.
func (e *entry) commandLine(args []string) error {
	command, err := e.text("command", e.command)
	if err != nil {
		return err
	}
	e.s.Command, e.s.Args = command, args
	if len(args) > 0 || !strings.ContainsFunc(strings.TrimSpace(command), unicode.IsSpace) {
		return nil
	}
	words, err := split(command)
	if err != nil {
		return e.fail("command", e.command, "cannot be split: %v", err)
	}
	if len(words) > 1 {
		e.note("command", e.command, "split into a command and %d arguments", len(words)-1)
	}
	places := make([]Pos, len(words))
	for i := range places {
		places[i] = e.pos(e.command)
	}
	e.setLine(words, places)
	return nil
}

// split takes a command line apart as a shell would, except that the
// backslashes of a Windows path stay.
func split(line string) ([]string, error) {
	var b strings.Builder
	runes := []rune(line)
	for i, c := range runes {
		b.WriteRune(c)
		if c == '\\' && i+1 < len(runes) && (unicode.IsLetter(runes[i+1]) || unicode.IsDigit(runes[i+1])) {
			b.WriteRune(c)
		}
	}
	return shlex.Split(b.String())
}

// unwrapCmd takes `cmd /c` away: there is no Windows in the container.
func (e *entry) unwrapCmd() {
	base := strings.ToLower(e.s.Command[strings.LastIndexAny(e.s.Command, `/\`)+1:])
	if base != "cmd" && base != "cmd.exe" || len(e.s.Args) == 0 || !strings.EqualFold(e.s.Args[0], "/c") {
		return
	}
	e.note("command", e.command, "%s /c is left out", base)
	line := e.s.Args[1:]
	if len(line) == 1 {
		if words, err := split(line[0]); err == nil {
			line = words
		}
	}
	places := make([]Pos, len(line))
	for i := range places {
		places[i] = e.s.At(indexed("args", i+1))
	}
	e.setLine(line, places)
}
