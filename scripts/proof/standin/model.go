package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// turn is what an agent asks of the model, whatever its API.
type turn struct {
	Tools   []string // on offer
	Results []string // of the calls so far
	stream  bool
}

// answer is what the model says: a call of a tool, or text.
type answer struct {
	tool string
	args json.RawMessage
	text string
	turn int
}

// api is one way to talk to a model.
type api struct {
	name  string
	match func(path string) bool
	read  func(path string, body []byte) (turn, error)
	write func(w io.Writer, t turn, a answer)
}

func apis() []api {
	return []api{
		{"anthropic", suffix("/v1/messages"), readAnthropic, writeAnthropic},
		{"chat", suffix("/chat/completions"), readChat, writeChat},
		{"responses", suffix("/responses"), readResponses, writeResponses},
		{"gemini", func(p string) bool { return strings.Contains(p, "enerateContent") }, readGemini, writeGemini},
	}
}

func suffix(s string) func(string) bool {
	return func(path string) bool { return strings.HasSuffix(path, s) }
}

// entry is a line of the log.
type entry struct {
	API     string   `json:"api"`
	Path    string   `json:"path"`
	Tools   []string `json:"tools,omitempty"`
	Called  string   `json:"called,omitempty"`
	Results []string `json:"results,omitempty"`
	Error   string   `json:"error,omitempty"`
}

type model struct {
	todo []call
	mu   sync.Mutex
	log  *json.Encoder
}

func (m *model) record(e entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.log.Encode(e); err != nil {
		panic(err)
	}
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	for _, a := range apis() {
		if r.Method != http.MethodPost || !a.match(r.URL.Path) {
			continue
		}
		t, err := a.read(r.URL.Path, body)
		if err != nil {
			m.record(entry{API: a.name, Path: r.URL.Path, Error: err.Error()})
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		said := m.decide(t)
		m.record(entry{API: a.name, Path: r.URL.Path, Tools: t.Tools, Called: said.tool, Results: t.Results})
		w.Header().Set("Content-Type", "application/json")
		if t.stream {
			w.Header().Set("Content-Type", "text/event-stream")
		}
		a.write(w, t, said)
		return
	}
	m.record(entry{API: "other", Path: r.Method + " " + r.URL.Path})
	other(w, r)
}

// decide asks for the next call that is to be made, if its tool is on offer.
func (m *model) decide(t turn) answer {
	if n := len(t.Results); n < len(m.todo) {
		for _, tool := range t.Tools {
			if strings.HasSuffix(tool, m.todo[n].tool) {
				return answer{tool: tool, args: m.todo[n].args, turn: n}
			}
		}
		return answer{text: "standin: no tool " + m.todo[n].tool, turn: n}
	}
	return answer{text: "standin: done " + strings.Join(t.Results, " "), turn: len(t.Results)}
}

// other answers what agents ask beside the model's turns.
func other(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case strings.HasSuffix(r.URL.Path, "/models"):
		fmt.Fprint(w, `{"object":"list","data":[{"id":"standin","object":"model"}],"models":[]}`)
	case strings.HasSuffix(r.URL.Path, "/count_tokens"):
		fmt.Fprint(w, `{"input_tokens":1}`)
	case r.Method == http.MethodHead:
	default:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, "{}")
	}
}

// object is JSON to be written.
type object map[string]any

func send(w io.Writer, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	w.Write(data)
}

// event writes one server-sent event, with its type where it has one.
func event(w io.Writer, v object) {
	if kind, ok := v["type"].(string); ok {
		fmt.Fprintf(w, "event: %s\n", kind)
	}
	fmt.Fprint(w, "data: ")
	send(w, v)
	fmt.Fprint(w, "\n\n")
}

// with is a copy of o with further members.
func (o object) with(more object) object {
	c := object{}
	for k, v := range o {
		c[k] = v
	}
	for k, v := range more {
		c[k] = v
	}
	return c
}
