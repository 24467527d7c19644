package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// JSON prints v to standard output, indented by two spaces, without HTML
// escaping. What a terminal would obey is written as \u escapes.
func (s *Streams) JSON(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := s.Out.Write(escapeJSON(b.Bytes()))
	return err
}

// escapeJSON escapes the hidden characters that encoding/json leaves as they
// are. They can only stand inside strings.
func escapeJSON(data []byte) []byte {
	var out []byte
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		switch {
		case r == '\n' || !hidden(r):
			out = append(out, data[:n]...)
		case r > 0xffff:
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		data = data[n:]
	}
	return out
}
