package runner

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/pkg/stdcopy"

	"heretic/runner/internal/term"
)

// streamOptions say what a stream connects.
type streamOptions struct {
	tty      bool
	streams  Streams
	stdin    bool
	keys     []byte         // detach keys, on a terminal
	terminal *term.Terminal // nil without one
	refusal  *refusal       // put in front of the output; nil without one
}

// raw puts the terminal into raw mode, its input only where somebody reads the
// keys: ctrl-c would have no effect.
func (o streamOptions) raw() (*term.Terminal, error) {
	if !o.stdin {
		return term.Raw(nil, o.streams.Out)
	}
	return term.Raw(o.streams.In, o.streams.Out)
}

// inputEnd is why standard input ended.
type inputEnd int

const (
	inputEOF inputEnd = iota
	inputDetached
	inputGone // the terminal was taken away
)

// stream moves bytes between the caller and one attached connection.
type stream struct {
	o    streamOptions
	conn types.HijackedResponse

	output  chan error    // one value: nil at the end of the output, or why writing it failed
	outDone chan struct{} // the connection is not read any more
	input   chan inputEnd // at most one value
	in      *term.Input
	inDone  chan struct{}

	bytes   atomic.Int64 // of output, so far
	writing atomic.Bool  // the caller's side is what we wait for
}

// startStream begins to copy both ways.
func startStream(conn types.HijackedResponse, o streamOptions) *stream {
	s := &stream{
		o: o, conn: conn,
		output: make(chan error, 1), outDone: make(chan struct{}),
		input: make(chan inputEnd, 1), inDone: make(chan struct{}),
	}
	raw := o.tty
	if mt, ok := conn.MediaType(); ok {
		raw = mt == types.MediaTypeRawStream
	}
	go s.copyOutput(raw)
	if o.stdin && o.streams.In != nil {
		s.in = term.NewInput(o.streams.In)
		go s.copyInput()
	}
	return s
}

// guard restores the terminal when a goroutine panics: the deferred calls of
// the others do not run then.
func (s *stream) guard() {
	if r := recover(); r != nil {
		_ = s.o.terminal.Restore()
		panic(r)
	}
}

func (s *stream) copyOutput(raw bool) {
	defer s.guard()
	defer close(s.outDone)
	out := s.o.streams.Out
	if s.o.terminal != nil {
		out = s.o.terminal
	}
	if s.o.refusal != nil {
		s.o.refusal.out = out
		out = s.o.refusal
	}
	var err error
	if raw {
		_, err = io.Copy(&sink{s, out}, s.conn.Reader)
	} else {
		_, err = stdcopy.StdCopy(&sink{s, out}, &sink{s, s.o.streams.Err}, s.conn.Reader)
	}
	if !errors.As(err, new(*writeError)) {
		err = nil // the connection ended, one way or the other
	}
	s.output <- err
	if err != nil {
		// The container must not stall for want of a reader while it is stopped.
		_, _ = io.Copy(io.Discard, s.conn.Reader)
	}
}

func (s *stream) copyInput() {
	defer s.guard()
	defer close(s.inDone)
	if !s.o.tty {
		if _, err := io.Copy(s.conn.Conn, readOnly{s.in}); err == nil {
			_ = s.conn.CloseWrite() // a connection that cannot has no way to say it
		}
		s.input <- inputEOF
		return
	}
	w := &term.DetachWriter{W: marked{s.conn.Conn}, Keys: s.o.keys}
	switch _, err := io.Copy(w, readOnly{s.in}); {
	case errors.As(err, new(term.Detached)):
		s.input <- inputDetached
		return
	case errors.As(err, new(*writeError)):
		return // the connection is gone, and not the terminal: the output ends too
	}
	_ = w.Flush()
	// The engine ends the output of a terminal with its input, so our side
	// stays open.
	s.input <- inputGone
}

// readOnly hides every other method, so that io.Copy reads.
type readOnly struct{ io.Reader }

// stopInput ends the copying of standard input. A key that was not read yet
// stays with the caller's terminal.
func (s *stream) stopInput() {
	if s.in != nil && s.in.Stop() {
		<-s.inDone
		s.in.Close()
		s.in = nil
	}
}

// close ends both directions. Output that the caller does not take does not
// hold it up for long.
func (s *stream) close() {
	s.conn.Close()
	s.stopInput()
	select {
	case <-s.outDone:
	case <-time.After(time.Second):
	}
}

// drain waits for the end of the output after the container has ended. The
// engine may be slow to send it and the caller slow to take it, so it gives up
// only when nothing at all has come for the time of idle, or a signal is enough.
func (s *stream) drain(idle time.Duration, signals <-chan os.Signal, enough func(name string) bool) error {
	tick := time.NewTicker(idle)
	defer tick.Stop()
	for last := int64(-1); ; {
		select {
		case err := <-s.output:
			return err
		case sig := <-signals:
			if enough(term.Name(sig)) {
				return nil
			}
		case <-tick.C:
			n := s.bytes.Load()
			if n == last && !s.writing.Load() {
				return nil
			}
			last = n
		}
	}
}

// writeError marks an error of the caller's side.
type writeError struct{ err error }

func (e *writeError) Error() string { return e.err.Error() }
func (e *writeError) Unwrap() error { return e.err }

// sink counts what is written to w.
type sink struct {
	s *stream
	w io.Writer
}

func (k *sink) Write(p []byte) (int, error) {
	k.s.writing.Store(true)
	n, err := marked{k.w}.Write(p)
	k.s.writing.Store(false)
	k.s.bytes.Add(int64(n))
	return n, err
}

// marked makes the errors of a writer known as such.
type marked struct{ w io.Writer }

func (m marked) Write(p []byte) (int, error) {
	n, err := m.w.Write(p)
	if err != nil {
		err = &writeError{err}
	}
	return n, err
}
