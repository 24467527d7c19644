package fakeengine

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/docker/docker/pkg/stdcopy"
)

// Process is what a program of a container sees.
type Process struct {
	Cmd      []string
	TTY      bool
	In       io.Reader
	Out, Err io.Writer
	Signals  <-chan string    // names as the client sent them; "STOP" for a stop call; after "KILL" the program is to return
	Sizes    <-chan [2]string // height and width as the client sent them
}

type container struct {
	id, name string
	tty      bool
	cmd      []string

	mu      sync.Mutex
	state   string // created, running, paused, exited
	code    int
	conns   []net.Conn
	in      *io.PipeWriter
	inRead  *io.PipeReader
	signals chan string
	sizes   chan [2]string
	ended   chan struct{} // closed at the end
	removed chan struct{}
	log     []byte
}

func newContainer(id, name string, body []byte) *container {
	var cfg struct {
		Tty bool
		Cmd []string
	}
	_ = json.Unmarshal(body, &cfg)
	c := &container{
		id: id, name: name, tty: cfg.Tty, cmd: cfg.Cmd, state: "created",
		signals: make(chan string, 64), sizes: make(chan [2]string, 64),
		ended: make(chan struct{}), removed: make(chan struct{}),
	}
	c.inRead, c.in = io.Pipe()
	return c
}

// writer sends output to whoever is attached, framed where there is no
// terminal.
type writer struct {
	c    *container
	kind stdcopy.StdType
}

func (w writer) Write(p []byte) (int, error) {
	w.c.mu.Lock()
	conns := slices.Clone(w.c.conns)
	w.c.log = append(w.c.log, p...)
	w.c.mu.Unlock()
	for _, conn := range conns {
		var out io.Writer = conn
		if !w.c.tty {
			out = stdcopy.NewStdWriter(conn, w.kind)
		}
		_, _ = out.Write(p)
	}
	return len(p), nil
}

func (c *container) start(program func(*Process) int) {
	c.mu.Lock()
	c.state = "running"
	c.mu.Unlock()
	go func() {
		c.end(program(&Process{
			Cmd: c.cmd, TTY: c.tty, In: c.inRead, Signals: c.signals, Sizes: c.sizes,
			Out: writer{c, stdcopy.Stdout}, Err: writer{c, stdcopy.Stderr},
		}))
	}()
}

// end is the end of the container's program: output first, then the state.
func (c *container) end(code int) {
	c.mu.Lock()
	if c.state == "exited" {
		c.mu.Unlock()
		return
	}
	c.state, c.code = "exited", code
	c.mu.Unlock()
	c.hangUp()
	close(c.ended)
}

// hangUp closes what is attached.
func (c *container) hangUp() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.conns {
		conn.Close()
	}
	c.conns = nil
	c.inRead.CloseWithError(io.EOF)
}

// attach takes over the connection of a request.
func (c *container) attach(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	conn, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		Fail(w, http.StatusInternalServerError, "%v", err)
		return
	}
	kind := "application/vnd.docker.multiplexed-stream"
	if c.tty {
		kind = "application/vnd.docker.raw-stream"
	}
	c.mu.Lock()
	c.conns = append(c.conns, conn)
	c.mu.Unlock()
	_, _ = io.WriteString(conn, "HTTP/1.1 101 UPGRADED\r\nContent-Type: "+kind+"\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n")
	go func(in *bufio.Reader) {
		_, err := io.Copy(c.in, in)
		switch {
		case err != nil:
		case c.tty:
			conn.Close() // the input of a terminal takes its output along
		default:
			c.in.Close() // half-closed
		}
	}(buf.Reader)
}

func (e *Engine) answer(call, id string, w http.ResponseWriter, r *http.Request) {
	switch call {
	case "HEAD _ping", "GET _ping":
		return
	case "GET version":
		Reply(w, 200, map[string]string{"Version": "28.0.0", "Os": "linux"})
		return
	case "POST create":
		e.create(w, r)
		return
	case "POST image create":
		image := strings.TrimPrefix(r.URL.Query().Get("fromImage"), "docker.io/library/") + ":" + r.URL.Query().Get("tag")
		e.mu.Lock()
		e.Images[image] = true
		e.mu.Unlock()
		Reply(w, 200, map[string]string{"status": "Pulled"})
		return
	}
	e.mu.Lock()
	c := e.containers[id]
	if c == nil {
		c = e.execs[id]
	}
	for _, o := range e.containers {
		if o.name == id {
			c = o
		}
	}
	e.mu.Unlock()
	if c == nil {
		Fail(w, http.StatusNotFound, "No such container: %s", id)
		return
	}
	e.answerContainer(c, call, w, r)
}

func (e *Engine) create(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var cfg struct{ Image string }
	_ = json.Unmarshal(body, &cfg)
	name := r.URL.Query().Get("name")
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.Images != nil && !e.Images[cfg.Image] {
		Fail(w, http.StatusNotFound, "No such image: %s", cfg.Image)
		return
	}
	for _, c := range e.containers {
		if c.name == name {
			Fail(w, http.StatusConflict, "Conflict. The container name %q is already in use by container %q.", "/"+name, c.id)
			return
		}
	}
	c := newContainer("id-"+name+strings.Repeat("0", 16), name, body)
	e.containers[c.id], e.created[name] = c, body
	Reply(w, http.StatusCreated, map[string]string{"Id": c.id})
}

func (e *Engine) answerContainer(c *container, call string, w http.ResponseWriter, r *http.Request) {
	switch call {
	case "POST attach", "POST exec start":
		c.attach(w, r)
		if call == "POST exec start" {
			c.start(e.Program)
		}
	case "POST start":
		w.WriteHeader(http.StatusNoContent)
		_ = http.NewResponseController(w).Flush()
		c.start(e.Program)
	case "POST wait":
		done := c.ended
		if r.URL.Query().Get("condition") == "removed" {
			done = c.removed
		}
		w.Header().Set("Content-Type", "application/json")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-done:
			_ = json.NewEncoder(w).Encode(map[string]int{"StatusCode": c.code})
		case <-r.Context().Done():
		}
	case "POST resize", "POST exec resize":
		c.mu.Lock()
		running := c.state == "running"
		c.mu.Unlock()
		if !running {
			Fail(w, http.StatusConflict, "container %s is not running", c.id)
			return
		}
		c.sizes <- [2]string{r.URL.Query().Get("h"), r.URL.Query().Get("w")}
	case "POST kill":
		sig := r.URL.Query().Get("signal")
		w.WriteHeader(http.StatusNoContent)
		if sig == "KILL" {
			c.end(137)
		}
		c.signals <- sig
	case "POST stop":
		c.signals <- "STOP"
		select {
		case <-c.ended:
			w.WriteHeader(http.StatusNoContent)
		case <-r.Context().Done():
		}
	case "GET json":
		c.mu.Lock()
		defer c.mu.Unlock()
		Reply(w, 200, map[string]any{
			"Id": c.id, "Config": map[string]any{"Tty": c.tty, "OpenStdin": true},
			"State": map[string]any{"Status": c.state, "Running": c.state == "running" || c.state == "paused", "Paused": c.state == "paused", "ExitCode": c.code},
		})
	case "GET logs":
		c.mu.Lock()
		defer c.mu.Unlock()
		_, _ = w.Write(c.log)
	case "DELETE container":
		c.end(137)
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.containers[c.id] == nil {
			Fail(w, http.StatusNotFound, "No such container: %s", c.id)
			return
		}
		delete(e.containers, c.id)
		close(c.removed)
		w.WriteHeader(http.StatusNoContent)
	case "POST exec":
		body, _ := io.ReadAll(r.Body)
		x := newContainer("exec-"+c.id, "", body)
		e.mu.Lock()
		e.execs[x.id] = x
		e.mu.Unlock()
		Reply(w, http.StatusCreated, map[string]string{"Id": x.id})
	case "GET exec json":
		c.mu.Lock()
		defer c.mu.Unlock()
		Reply(w, 200, map[string]any{"ID": c.id, "Running": c.state != "exited", "ExitCode": c.code})
	default:
		Fail(w, http.StatusNotImplemented, "%s", call)
	}
}

// State sets the state of the container of that name: "paused".
func (e *Engine) State(name, state string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range e.containers {
		if c.name == name {
			c.mu.Lock()
			c.state = state
			c.mu.Unlock()
		}
	}
}
