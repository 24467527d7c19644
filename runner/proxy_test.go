package runner

import (
	"slices"
	"testing"

	"github.com/docker/cli/cli/config/configfile"
)

func TestProxyEnv(t *testing.T) {
	cfg := &configfile.ConfigFile{Proxies: map[string]configfile.ProxyConfig{
		"default":          {HTTPProxy: "http://p:1", NoProxy: "localhost"},
		"tcp://other:2375": {HTTPProxy: "http://other:1"},
	}}
	for host, want := range map[string][]string{
		"unix:///var/run/docker.sock": {"HTTP_PROXY=http://p:1", "NO_PROXY=localhost", "http_proxy=http://p:1", "no_proxy=localhost"},
		"tcp://other:2375":            {"HTTP_PROXY=http://other:1", "http_proxy=http://other:1"},
	} {
		e := &Engine{endpoint: endpoint{host: host}, config: func() *configfile.ConfigFile { return cfg }}
		if got := e.ProxyEnv(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", host, got, want)
		}
	}
	e := &Engine{config: func() *configfile.ConfigFile { return &configfile.ConfigFile{} }}
	if got := e.ProxyEnv(); len(got) != 0 {
		t.Errorf("without proxies: %q", got)
	}
}
