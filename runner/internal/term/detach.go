package term

import (
	"bytes"
	"fmt"
	"io"

	"github.com/moby/term"
)

// ParseKeys reads a key sequence as docker writes it: "ctrl-],d". The empty
// string is no sequence.
func ParseKeys(keys string) ([]byte, error) {
	if keys == "" {
		return nil, nil
	}
	b, err := term.ToBytes(keys)
	if err != nil {
		return nil, fmt.Errorf("%q is no sequence of keys: a key is one character or ctrl- and one of a-z @ [ \\ ] ^ _", keys)
	}
	return b, nil
}

// DetachWriter passes keys on to W until it sees the sequence Keys, whose
// bytes it keeps to itself. Bytes that may begin the sequence are held back
// until it is known whether they do.
type DetachWriter struct {
	W    io.Writer
	Keys []byte
	held int // how many bytes of Keys have been seen
}

// Detached is the error of a Write that found the sequence.
type Detached struct{}

func (Detached) Error() string { return "detached" }

func (d *DetachWriter) Write(p []byte) (int, error) {
	if len(d.Keys) == 0 {
		return d.W.Write(p)
	}
	out := make([]byte, 0, len(p)+len(d.Keys))
	for i, b := range p {
		for d.held > 0 && d.Keys[d.held] != b {
			// Not the sequence: what was held, up to where it may begin anew.
			keep := border(d.Keys[:d.held])
			out = append(out, d.Keys[:d.held-keep]...)
			d.held = keep
		}
		if d.Keys[d.held] != b {
			out = append(out, b)
			continue
		}
		if d.held++; d.held == len(d.Keys) {
			d.held = 0
			if len(out) > 0 {
				if _, err := d.W.Write(out); err != nil {
					return i, err
				}
			}
			return i + 1, Detached{}
		}
	}
	if len(out) > 0 {
		if _, err := d.W.Write(out); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// Flush passes on what is held: no more keys follow.
func (d *DetachWriter) Flush() error {
	held := d.Keys[:d.held]
	d.held = 0
	if len(held) == 0 {
		return nil
	}
	_, err := d.W.Write(held)
	return err
}

// border is the length of the longest proper prefix of s that ends s.
func border(s []byte) int {
	for n := len(s) - 1; n > 0; n-- {
		if bytes.Equal(s[:n], s[len(s)-n:]) {
			return n
		}
	}
	return 0
}
