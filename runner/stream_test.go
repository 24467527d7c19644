package runner

import (
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/docker/docker/api/types"
)

// halfConn counts how often it is half-closed.
type halfConn struct {
	net.Conn
	half atomic.Int32
}

func (c *halfConn) CloseWrite() error {
	c.half.Add(1)
	return nil
}

// All of standard input arrives, to a key that could have begun the detach keys
// (pitfall 29). Its end half-closes the connection, but not that of a terminal:
// the output would end, too (pitfall 15).
func TestInputEnds(t *testing.T) {
	for _, tt := range []struct {
		tty  bool
		end  inputEnd
		half int32
	}{
		{tty: false, end: inputEOF, half: 1},
		{tty: true, end: inputGone, half: 0},
	} {
		ours, theirs := net.Pipe()
		conn := &halfConn{Conn: ours}
		got := make(chan string)
		go func() {
			sent, _ := io.ReadAll(theirs)
			got <- string(sent)
		}()
		s := startStream(types.NewHijackedResponse(conn, ""), streamOptions{
			tty: tt.tty, stdin: true, keys: []byte("\x1dd"),
			streams: Streams{In: strings.NewReader("key\x1d"), Out: io.Discard, Err: io.Discard},
		})
		if end := <-s.input; end != tt.end || conn.half.Load() != tt.half {
			t.Errorf("terminal %v: input ended as %v, half-closed %d times", tt.tty, end, conn.half.Load())
		}
		s.close()
		if sent := <-got; sent != "key\x1d" {
			t.Errorf("terminal %v: %q arrived", tt.tty, sent)
		}
	}
}
