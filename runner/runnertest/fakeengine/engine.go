// Package fakeengine is a Docker engine for tests: the routes that runner uses
// on a unix socket, with Go functions in place of the containers' programs.
package fakeengine

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Engine is a running fake. Its fields are set before the first call.
type Engine struct {
	API     string // highest version; default 1.51
	Server  string // Server header; default Docker
	Program func(*Process) int
	Images  map[string]bool // that are there; nil: all

	// Handle, if set, sees each request first, as "POST start" or "GET logs";
	// it returns true when it has answered.
	Handle func(call string, w http.ResponseWriter, r *http.Request) bool

	Socket string

	mu         sync.Mutex
	calls      []string
	queries    map[string]string
	containers map[string]*container
	execs      map[string]*container
	created    map[string]json.RawMessage
	changed    chan struct{}
	server     *httptest.Server
	closing    sync.Once
}

// Start runs e until the test has ended.
func (e *Engine) Start(t testing.TB) *Engine {
	t.Helper()
	dir, err := os.MkdirTemp("", "fakeengine") // t.TempDir is too long a path for a socket
	if err != nil {
		t.Fatal(err)
	}
	e.Socket = filepath.Join(dir, "engine.sock")
	l, err := net.Listen("unix", e.Socket)
	if err != nil {
		t.Fatal(err)
	}
	e.containers, e.execs = map[string]*container{}, map[string]*container{}
	e.created, e.queries = map[string]json.RawMessage{}, map[string]string{}
	e.changed = make(chan struct{})
	e.server = &httptest.Server{Listener: l, Config: &http.Server{Handler: e}}
	e.server.Start()
	t.Cleanup(func() {
		e.Close()
		os.RemoveAll(dir)
	})
	return e
}

// Close ends the engine at once, as a crash does, and its containers.
func (e *Engine) Close() {
	e.closing.Do(func() {
		e.server.Listener.Close()
		e.server.CloseClientConnections()
		e.mu.Lock()
		for _, set := range []map[string]*container{e.containers, e.execs} {
			for _, c := range set {
				c.hangUp()
				select {
				case c.signals <- "KILL":
				default:
				}
			}
		}
		e.mu.Unlock()
		e.server.Close()
	})
}

// Calls returns the calls so far, as "POST create" or "DELETE container".
func (e *Engine) Calls() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string(nil), e.calls...)
}

// Count returns how often a call was made.
func (e *Engine) Count(call string) int {
	n := 0
	for _, c := range e.Calls() {
		if c == call {
			n++
		}
	}
	return n
}

// Query returns the query of the last such call.
func (e *Engine) Query(call string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.queries[call]
}

// Created returns the body of the creation of the container of that name.
func (e *Engine) Created(name string) json.RawMessage {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.created[name]
}

// Left returns the names of the containers that are there.
func (e *Engine) Left() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var names []string
	for _, c := range e.containers {
		names = append(names, c.name)
	}
	return names
}

func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	call, id := split(r)
	e.mu.Lock()
	e.calls = append(e.calls, call)
	e.queries[call] = r.URL.RawQuery
	close(e.changed)
	e.changed = make(chan struct{})
	e.mu.Unlock()

	server := e.Server
	if server == "" {
		server = "Docker/28.0.0 (linux)"
	}
	api := e.API
	if api == "" {
		api = "1.51"
	}
	w.Header().Set("Server", server)
	w.Header().Set("Api-Version", api)
	w.Header().Set("Ostype", "linux")
	if e.Handle != nil && e.Handle(call, w, r) {
		return
	}
	e.answer(call, id, w, r)
}

// split makes a short name of a request ("POST start", "GET image json",
// "DELETE container") and finds the id that it is about.
func split(r *http.Request) (call, id string) {
	path := strings.Trim(r.URL.Path, "/")
	if version, rest, ok := strings.Cut(path, "/"); ok && strings.HasPrefix(version, "v1.") {
		path = rest
	}
	kind, rest, _ := strings.Cut(path, "/")
	noun := map[string]string{"containers": "", "images": "image ", "exec": "exec "}[kind]
	last := strings.LastIndex(rest, "/")
	switch {
	case rest == "":
		noun = kind // _ping, version
	case rest == "json":
		noun += "list"
	case rest == "create":
		noun += "create"
	case last < 0:
		noun, id = strings.TrimSpace("container "+noun), rest
	default:
		noun, id = noun+rest[last+1:], rest[:last]
	}
	return r.Method + " " + noun, id
}

// WaitFor blocks until the call has been made n times.
func (e *Engine) WaitFor(t testing.TB, call string, n int) {
	t.Helper()
	for {
		e.mu.Lock()
		changed := e.changed
		e.mu.Unlock()
		if e.Count(call) >= n {
			return
		}
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatalf("no %s", call)
		}
	}
}

// Fail answers a request with an error of the engine.
func Fail(w http.ResponseWriter, code int, format string, args ...any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(map[string]string{"message": fmt.Sprintf(format, args...)})
}

// Reply answers a request with JSON.
func Reply(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v)
}
