package term

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Modes follows the escape sequences of a program's output and knows which
// modes of the terminal are on that a shell does not expect. The zero value is
// ready. It may be used concurrently.
type Modes struct {
	mu    sync.Mutex
	state parseState
	csi   []byte // parameters and intermediates of the sequence being read

	private     []string    // private modes that are not as they were, in order
	kitty       [2][]string // pushed keyboard flags, of the main and the other screen
	kittySet    string      // keyboard flags that were set without a push
	otherKeys   string      // the level of xterm's modifyOtherKeys
	cursorStyle string

	keypad, colour, margins, lineDrawing bool
}

type parseState int

const (
	ground parseState = iota
	escape
	escapeCharset
	controlSequence
	text // OSC, DCS, APC, PM, SOS: skipped up to its end
	textEscape
)

// normal returns the letter that a private mode is normally set with: h for
// the two that are on. Modes that are none of our business have none.
func normal(mode string) string {
	switch mode {
	case "7", "25": // wrap, cursor
		return "h"
	case "1", "5", "6", "9", // cursor keys, reverse, origin, X10 mouse
		"47", "1047", "1049", // the other screen
		"1000", "1001", "1002", "1003", "1005", "1006", "1007", "1015", "1016", // mouse
		"1004",                                 // focus
		"2004",                                 // bracketed paste
		"2026", "2027", "2031", "2048", "9001": // synchronised output, graphemes, colour scheme, size reports, win32 keys
		return "l"
	}
	return ""
}

func isScreen(mode string) bool { return mode == "47" || mode == "1047" || mode == "1049" }

// Write looks at output. It never fails.
func (m *Modes) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, b := range p {
		if m.state != ground || b == 0x1b {
			m.next(b)
		}
	}
	return len(p), nil
}

func (m *Modes) next(b byte) {
	const esc, bel, can, sub = 0x1b, 0x07, 0x18, 0x1a
	switch {
	case m.state == ground:
		m.state = escape
	case b == can || b == sub:
		m.state = ground
	case m.state == text:
		switch b {
		case bel:
			m.state = ground
		case esc:
			m.state = textEscape
		}
	case m.state == textEscape && b == '\\':
		m.state = ground
	case b == esc:
		m.state = escape
	case m.state == escape || m.state == textEscape:
		m.escape(b)
	case m.state == escapeCharset:
		m.lineDrawing = b == '0'
		m.state = ground
	case m.state == controlSequence:
		switch {
		case b >= 0x40 && b <= 0x7e:
			m.state = ground
			m.control(string(m.csi), b)
		case b >= 0x20 && len(m.csi) < 64:
			m.csi = append(m.csi, b)
		}
	}
}

func (m *Modes) escape(b byte) {
	m.state = ground
	switch b {
	case '[':
		m.state, m.csi = controlSequence, m.csi[:0]
	case ']', 'P', '_', '^', 'X':
		m.state = text
	case '(':
		m.state = escapeCharset
	case '=':
		m.keypad = true
	case '>':
		m.keypad = false
	case 'c': // full reset
		m.forget()
	}
}

func (m *Modes) control(params string, final byte) {
	plain := !strings.ContainsAny(params, "<=>?")
	switch {
	case (final == 'h' || final == 'l') && strings.HasPrefix(params, "?"):
		for mode := range strings.SplitSeq(params[1:], ";") {
			m.setPrivate(mode, string(final))
		}
	case final == 'u' && strings.HasPrefix(params, ">"):
		stack := &m.kitty[m.screen()]
		*stack = append(*stack, params[1:])
	case final == 'u' && strings.HasPrefix(params, "<"):
		n, err := strconv.Atoi(params[1:])
		if err != nil {
			n = 1
		}
		stack := &m.kitty[m.screen()]
		*stack = (*stack)[:max(0, len(*stack)-n)]
	case final == 'u' && strings.HasPrefix(params, "="):
		m.kittySet = unless(params[1:], "", "0", "0;1")
	case final == 'm' && strings.HasPrefix(params, ">4"):
		m.otherKeys = unless(strings.TrimPrefix(params[2:], ";"), "", "0")
	case final == 'm' && plain:
		m.colour = params != "" && params != "0"
	case final == 'r' && plain:
		m.margins = params != ""
	case final == 'q' && strings.HasSuffix(params, " "):
		m.cursorStyle = unless(params[:len(params)-1], "", "0")
	case final == 'p' && params == "!": // soft reset: neither screen nor mouse
		m.keypad, m.colour, m.margins, m.lineDrawing = false, false, false, false
		for _, mode := range []string{"1", "6", "7", "25"} {
			m.setPrivate(mode, normal(mode))
		}
	}
}

func unless(v string, none ...string) string {
	if slices.Contains(none, v) {
		return ""
	}
	return v
}

func (m *Modes) setPrivate(mode, letter string) {
	n := normal(mode)
	if n == "" {
		return
	}
	m.private = slices.DeleteFunc(m.private, func(s string) bool { return s == mode })
	if letter != n {
		m.private = append(m.private, mode)
	}
}

// screen is 1 while the alternate screen is shown.
func (m *Modes) screen() int {
	if slices.ContainsFunc(m.private, isScreen) {
		return 1
	}
	return 0
}

func (m *Modes) forget() {
	m.state, m.csi, m.private, m.kitty = ground, m.csi[:0], nil, [2][]string{}
	m.kittySet, m.otherKeys, m.cursorStyle = "", "", ""
	m.keypad, m.colour, m.margins, m.lineDrawing = false, false, false, false
}

// Reset returns the sequences that turn off what is on, empty when nothing is,
// and takes them as written.
func (m *Modes) Reset() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b []byte
	add := func(on bool, seq string) {
		if on {
			b = append(b, seq...)
		}
	}
	switch m.state { // a sequence cut in the middle would swallow ours
	case text, textEscape:
		add(true, "\x1b\\")
	case escape, escapeCharset, controlSequence:
		add(true, "\x18")
	}
	pop := func(n int) { add(n > 0, "\x1b[<"+strconv.Itoa(n)+"u") }
	add(m.kittySet != "", "\x1b[=0u")
	pop(len(m.kitty[1]))
	add(m.otherKeys != "", "\x1b[>4;0m")
	add(m.keypad, "\x1b>")
	add(m.lineDrawing, "\x1b(B")
	add(m.colour, "\x1b[0m")
	add(m.margins, "\x1b7\x1b[r\x1b8")
	add(m.cursorStyle != "", "\x1b[0 q")
	for _, mode := range slices.Backward(m.private) {
		add(true, "\x1b[?"+mode+normal(mode))
	}
	pop(len(m.kitty[0]))
	m.forget()
	return b
}

// Enter returns the sequences that turn on what is on, for another terminal.
// Colours and margins are left to the redraw that follows.
func (m *Modes) Enter() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b []byte
	push := func(stack []string) {
		for _, flags := range stack {
			b = append(b, "\x1b[>"+flags+"u"...)
		}
	}
	push(m.kitty[0])
	for _, mode := range m.private {
		letter := "h"
		if normal(mode) == "h" {
			letter = "l"
		}
		b = append(b, "\x1b[?"+mode+letter...)
	}
	push(m.kitty[1])
	if m.kittySet != "" {
		b = append(b, "\x1b[="+m.kittySet+"u"...)
	}
	if m.otherKeys != "" {
		b = append(b, "\x1b[>4;"+m.otherKeys+"m"...)
	}
	if m.keypad {
		b = append(b, "\x1b="...)
	}
	if m.cursorStyle != "" {
		b = append(b, "\x1b["+m.cursorStyle+" q"...)
	}
	return b
}
