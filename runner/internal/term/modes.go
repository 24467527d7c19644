package term

import (
	"io"
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

	private []string // private modes that are not as they were, in order
	alt     bool
	kitty   [2]int // pushed keyboard flags, of the main and the other screen
	kittySet,
	otherKeys, keypad, sgr, margins, cursorStyle, lineDrawing bool
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

// privateDefaults are the private modes that are reset, with the letter that
// resets them: h for those that are on by default.
var privateDefaults = map[string]string{
	"1": "l", "5": "l", "6": "l", "7": "h", "9": "l", "25": "h",
	"47": "l", "1047": "l", "1049": "l",
	"1000": "l", "1001": "l", "1002": "l", "1003": "l", "1004": "l", "1005": "l",
	"1006": "l", "1007": "l", "1015": "l", "1016": "l",
	"2004": "l", "2026": "l", "2027": "l", "2031": "l", "2048": "l", "9001": "l",
}

func altScreen(mode string) bool { return mode == "47" || mode == "1047" || mode == "1049" }

// Write looks at output. It never fails.
func (m *Modes) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, b := range p {
		m.next(b)
	}
	return len(p), nil
}

func (m *Modes) next(b byte) {
	const esc, bel, can, sub = 0x1b, 0x07, 0x18, 0x1a
	switch {
	case m.state == ground:
		if b == esc {
			m.state = escape
		}
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
	switch {
	case final == 'h' || final == 'l':
		if list, ok := strings.CutPrefix(params, "?"); ok {
			for mode := range strings.SplitSeq(list, ";") {
				m.setPrivate(mode, string(final))
			}
		}
	case final == 'u' && strings.HasPrefix(params, ">"):
		m.kitty[m.screen()]++
	case final == 'u' && strings.HasPrefix(params, "<"):
		n, err := strconv.Atoi(params[1:])
		if err != nil {
			n = 1
		}
		m.kitty[m.screen()] = max(0, m.kitty[m.screen()]-n)
	case final == 'u' && strings.HasPrefix(params, "="):
		flags, _, _ := strings.Cut(params[1:], ";")
		m.kittySet = flags != "0" && flags != ""
	case final == 'm' && strings.HasPrefix(params, ">4"):
		m.otherKeys = params != ">4" && params != ">4;0"
	case final == 'm' && !strings.ContainsAny(params, "<=>?"):
		m.sgr = params != "" && params != "0"
	case final == 'r' && !strings.ContainsAny(params, "<=>?"):
		m.margins = params != ""
	case final == 'q' && strings.HasSuffix(params, " "):
		m.cursorStyle = params != " " && params != "0 "
	case final == 'p' && params == "!": // soft reset: neither screen nor mouse
		m.keypad, m.sgr, m.margins, m.lineDrawing = false, false, false, false
		for _, mode := range []string{"1", "6", "7", "25"} {
			m.setPrivate(mode, privateDefaults[mode])
		}
	}
}

func (m *Modes) setPrivate(mode, letter string) {
	normal, ok := privateDefaults[mode]
	if !ok {
		return
	}
	m.private = slices.DeleteFunc(m.private, func(s string) bool { return s == mode })
	if letter != normal {
		m.private = append(m.private, mode)
	}
	if altScreen(mode) {
		m.alt = letter == "h"
	}
}

func (m *Modes) screen() int {
	if m.alt {
		return 1
	}
	return 0
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
	case ground:
	default:
		add(true, "\x18")
	}
	pop := func(screen int) {
		add(m.kitty[screen] > 0, "\x1b[<"+strconv.Itoa(m.kitty[screen])+"u")
	}
	add(m.kittySet, "\x1b[=0u")
	if m.alt {
		pop(1)
	}
	add(m.otherKeys, "\x1b[>4;0m")
	add(m.keypad, "\x1b>")
	add(m.lineDrawing, "\x1b(B")
	add(m.sgr, "\x1b[0m")
	add(m.margins, "\x1b7\x1b[r\x1b8")
	add(m.cursorStyle, "\x1b[0 q")
	for _, mode := range slices.Backward(m.private) {
		add(true, "\x1b[?"+mode+privateDefaults[mode])
	}
	pop(0)
	m.forget()
	return b
}

func (m *Modes) forget() {
	m.state, m.csi, m.private, m.alt, m.kitty = ground, m.csi[:0], nil, false, [2]int{}
	m.kittySet, m.otherKeys, m.keypad, m.sgr, m.margins, m.cursorStyle, m.lineDrawing = false, false, false, false, false, false, false
}

type modeWriter struct {
	w     io.Writer
	modes *Modes
}

func (w *modeWriter) Write(p []byte) (int, error) {
	w.modes.Write(p)
	return w.w.Write(p)
}
