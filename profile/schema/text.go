package schema

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"heretic/mcpconf"
)

// checkText finds what makes a file no text that YAML could be: its size, its
// encoding, control characters.
func checkText(file string, data []byte) error {
	fail := func(offset int, fix, format string, args ...any) error {
		return &Error{Pos: place(file, data, offset), Msg: fmt.Sprintf(format, args...), Fix: fix}
	}
	if len(data) > MaxSize {
		return &Error{Pos: mcpconf.Pos{File: file}, Msg: fmt.Sprintf("the file is larger than %d KiB", MaxSize>>10)}
	}
	if e := mcpconf.UTF16(data); e != "" {
		return fail(0, fmt.Sprintf("convert it: iconv -f %s -t UTF-8", e), "the file is %s, not UTF-8", e)
	}
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			return fail(i, "save the file as UTF-8", "not valid YAML: a byte that is not UTF-8")
		case r < ' ' && r != '\t' && r != '\n' && r != '\r', r == 0x7f:
			return fail(i, "take it out, or write it with an escape in double quotes", "not valid YAML: the control character %U", r)
		}
		i += n
	}
	return nil
}

// place is the line and column of a byte, the column counted in characters.
func place(file string, data []byte, offset int) mcpconf.Pos {
	before := data[:offset]
	start := bytes.LastIndexByte(before, '\n') + 1
	return mcpconf.Pos{File: file, Line: bytes.Count(before, []byte("\n")) + 1, Col: utf8.RuneCount(before[start:]) + 1}
}

// lineText is the text of a line, counted from 1.
func lineText(data []byte, line int) string {
	n := 0
	for text := range bytes.Lines(data) {
		if n++; n == line {
			return string(text)
		}
	}
	return ""
}

// firstColumn is where the text of a line begins: the YAML package does not
// say where in the line an error is.
func firstColumn(data []byte, line int) int {
	if text := lineText(data, line); text != "" {
		return len(text) - len(strings.TrimLeft(text, " \t")) + 1
	}
	return min(line, 1)
}

// syntax places an error of the YAML package, which has the line at most.
func syntax(file string, data []byte, err error) error {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if rest, ok := strings.CutPrefix(msg, "line "); ok {
		if num, text, ok := strings.Cut(rest, ": "); ok {
			if n, err := strconv.Atoi(num); err == nil {
				line, msg = n, text
			}
		}
	}
	e := &Error{Pos: mcpconf.Pos{File: file, Line: line, Col: firstColumn(data, line)}, Msg: "not valid YAML: " + msg}
	if at, col := tabIndent(data, line); at > 0 {
		e.Pos.Line, e.Pos.Col, e.Fix = at, col, "indent with spaces: YAML takes no tab there"
	}
	return e
}

// tabIndent finds the tab in the indentation that an error in a line is about:
// the package may blame the line before or after.
func tabIndent(data []byte, line int) (at, col int) {
	for _, n := range []int{line, line + 1, line - 1} {
		text := lineText(data, n)
		indent := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
		if i := strings.IndexByte(indent, '\t'); i >= 0 && strings.TrimSpace(text) != "" {
			return n, i + 1
		}
	}
	return 0, 0
}
