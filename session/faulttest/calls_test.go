//go:build linux

package faulttest

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"
)

// launchCalls are what a launch asks the engine, and in what order. A call that
// is not needed is a defect.
var launchCalls = []string{
	"HEAD /_ping", // negotiates the version
	"GET /containers/json",
	"POST /containers/create", // without a look at the image: create tells when it is missing
	"POST /containers/ID/attach",
	"POST /containers/ID/wait",
	"POST /containers/ID/start",
}

// endCalls follow the end of the agent, both at the same time.
var endCalls = []string{"DELETE /containers/ID", "GET /containers/json"}

// playCalls pins the calls of a launch. There is no terminal: its size is one
// more call on engines that do not take it at create.
func playCalls(t *testing.T, bin, base string, eng *engine) {
	for i, tt := range []struct {
		name  string
		args  []string
		calls []string
	}{
		{"foreground", []string{"run", "plain", "-s", "main", "--", "exit", "0"}, slices.Concat(launchCalls, endCalls)},
		{"detached", []string{"run", "plain", "-s", "main", "-d"}, slices.DeleteFunc(slices.Clone(launchCalls), func(call string) bool {
			return strings.HasSuffix(call, "/attach") || strings.HasSuffix(call, "/wait")
		})},
	} {
		t.Run("calls/"+tt.name, func(t *testing.T) {
			t.Parallel()
			c := newCell(t, bin, base, fmt.Sprintf("n%d", i), eng)
			if err := c.setup(); err != nil {
				t.Fatal(err)
			}
			var err error
			if c.proxy, err = newProxy(t, eng.host, c.dir, nil); err != nil {
				t.Fatal(err)
			}
			if _, err := c.commandOn(c.proxy.host, 0, tt.args...); err != nil {
				t.Fatal(err)
			}
			got := c.proxy.called()
			if end := got[min(len(launchCalls), len(got)):]; len(end) == len(endCalls) {
				sort.Strings(end)
			}
			if !slices.Equal(got, tt.calls) {
				t.Errorf("calls:\n%q\nwant:\n%q", got, tt.calls)
			}
			for _, session := range []string{"main", "bystander"} {
				if list, err := c.containers(session); err != nil {
					t.Error(err)
				} else if len(list) > 0 {
					if _, err := c.command(0, "stop", session); err != nil {
						t.Error(err)
					}
				}
			}
			if err := c.checkNothingLeft(); err != nil {
				t.Error(err)
			}
		})
	}
}

// record keeps a request for called.
func (p *proxy) record(r *http.Request) {
	path := regexp.MustCompile(`^/v1\.[0-9]+`).ReplaceAllString(r.URL.Path, "")
	path = regexp.MustCompile(`[0-9a-f]{64}`).ReplaceAllString(path, "ID")
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, r.Method+" "+path)
}

// called are the requests so far.
func (p *proxy) called() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.calls)
}
