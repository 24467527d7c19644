//go:build linux

package faulttest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// call is one kind of request to the engine.
type call string

const (
	callCreate call = "create"
	callAttach call = "attach"
	callStart  call = "start"
	callStop   call = "stop"
	callRemove call = "remove"
)

// callOf tells what a request asks for; it is empty for what no test stops.
func callOf(r *http.Request) call {
	path := r.URL.Path
	if rest, ok := strings.CutPrefix(path, "/v1."); ok {
		_, path, _ = strings.Cut(rest, "/")
		path = "/" + path
	}
	switch {
	case r.Method == http.MethodPost && path == "/containers/create":
		return callCreate
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/attach"):
		return callAttach
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/start"):
		return callStart
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/stop"):
		return callStop
	case r.Method == http.MethodDelete && strings.HasPrefix(path, "/containers/"):
		return callRemove
	}
	return ""
}

// gate holds the first request of a kind back: before it reaches the engine, or
// its answer.
type gate struct {
	call    call
	answer  bool
	reached chan struct{} // closed when a request is held
	open    chan struct{} // closed by whoever lets it go, or shuts the gate
	shut    bool          // read after open was closed
	once    sync.Once
}

func newGate(c call, answer bool) *gate {
	return &gate{call: c, answer: answer, reached: make(chan struct{}), open: make(chan struct{})}
}

func (g *gate) release() { g.once.Do(func() { close(g.open) }) }

// abandon lets what is held go nowhere, as its client has died.
func (g *gate) abandon() { g.once.Do(func() { g.shut = true; close(g.open) }) }

// pass waits until the gate is open. It reports false when the client has gone.
func (g *gate) pass(ctx context.Context) bool {
	select {
	case <-g.reached: // only the first is held
	default:
		close(g.reached)
	}
	select {
	case <-g.open:
		return !g.shut
	case <-ctx.Done():
		return false
	}
}

// proxy stands between one heretic and the engine.
type proxy struct {
	host    string // for DOCKER_HOST
	socket  string
	handler http.HandlerFunc
	gate    *gate // may be nil
	// started is closed when heretic was told that the agent runs.
	started     chan struct{}
	startedOnce sync.Once

	mu       sync.Mutex
	fail     call // is answered with an error and never reaches the engine
	drop     call // reaches the engine, and is not answered
	attached []net.Conn
	server   *http.Server // nil: closed
}

func newProxy(t *testing.T, engine, dir string, g *gate) (*proxy, error) {
	p := &proxy{socket: filepath.Join(dir, "proxy.sock"), gate: g, started: make(chan struct{})}
	p.host = "unix://" + p.socket
	back := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: "engine"})
			r.Out.Host = r.In.Host
		},
		FlushInterval: -1,
		Transport: &http.Transport{
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, "unix", strings.TrimPrefix(engine, "unix://"))
			},
			DisableCompression: true,
			DisableKeepAlives:  true,
		},
		ModifyResponse: p.answer,
		ErrorHandler:   func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ErrorLog:       log.New(io.Discard, "", 0),
	}
	p.handler = func(w http.ResponseWriter, r *http.Request) { p.forward(back, w, r) }
	t.Cleanup(p.close)
	return p, p.open()
}

// open is the start of the engine as its client sees it.
func (p *proxy) open() error {
	if err := os.Remove(p.socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	l, err := net.Listen("unix", p.socket)
	if err != nil {
		return err
	}
	// As after the death of a real engine, the file stays.
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.server = &http.Server{Handler: p.handler, ErrorLog: log.New(io.Discard, "", 0)}
	go p.server.Serve(l)
	return nil
}

// close is the end of the engine as its client sees it.
func (p *proxy) close() {
	if p.gate != nil {
		p.gate.release()
	}
	p.mu.Lock()
	server := p.server
	p.server = nil
	p.mu.Unlock()
	if server != nil {
		server.Close()
	}
	p.cut()
}

func (p *proxy) isClosed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.server == nil
}

// cut breaks the connections of attached streams.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.attached {
		c.Close()
	}
}

func (p *proxy) set(field *call, c call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	*field = c
}

func (p *proxy) is(field *call, c call) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return c != "" && *field == c
}

func (p *proxy) forward(back http.Handler, w http.ResponseWriter, r *http.Request) {
	c := callOf(r)
	if g := p.gate; g != nil && g.call == c && !g.answer && !g.pass(r.Context()) {
		panic(http.ErrAbortHandler)
	}
	if p.is(&p.fail, c) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprintf(w, `{"message":"the %s was made to fail"}`, c)
		return
	}
	if c == callAttach {
		w = &hijacked{w, p}
	}
	back.ServeHTTP(w, r)
	if c == callStart {
		p.startedOnce.Do(func() { close(p.started) })
	}
}

// answer holds or drops what the engine has answered.
func (p *proxy) answer(resp *http.Response) error {
	c := callOf(resp.Request)
	if g := p.gate; g != nil && g.call == c && g.answer && !g.pass(resp.Request.Context()) {
		return context.Canceled
	}
	if p.is(&p.drop, c) {
		return fmt.Errorf("the answer to %s was dropped", c)
	}
	return nil
}

// hijacked remembers the connection of an attached stream.
type hijacked struct {
	http.ResponseWriter
	p *proxy
}

func (h *hijacked) Unwrap() http.ResponseWriter { return h.ResponseWriter }

// Hijack is found by [http.ResponseController].
func (h *hijacked) Hijack() (c net.Conn, rw *bufio.ReadWriter, err error) {
	c, rw, err = http.NewResponseController(h.ResponseWriter).Hijack()
	if err == nil {
		h.p.mu.Lock()
		defer h.p.mu.Unlock()
		h.p.attached = append(h.p.attached, c)
	}
	return c, rw, err
}
