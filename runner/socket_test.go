package runner

import (
	"strings"
	"testing"
)

func TestEngineSocket(t *testing.T) {
	for _, tt := range []struct{ host, system, want string }{
		{"unix:///run/user/1000/docker.sock", "linux", "/run/user/1000/docker.sock"},
		{"tcp://127.0.0.1:2375", "linux", "/var/run/docker.sock"},
		{"unix:///Users/me/.docker/run/docker.sock", "darwin", "/var/run/docker.sock"},
		{"npipe:////./pipe/docker_engine", "windows", "/var/run/docker.sock"},
	} {
		if got := engineSocket(tt.host, tt.system); got != tt.want {
			t.Errorf("%s on %s: %s", tt.host, tt.system, got)
		}
	}
}

// A named pipe is an address everywhere: its errors come from the system.
func TestPipeAddress(t *testing.T) {
	o := ConnectOptions{Lookup: func(string) (string, bool) { return "", false }}
	for _, host := range []string{"npipe:////./pipe/docker_engine", "npipe:////./pipe/podman-machine-default"} {
		ep, err := fromEnv(o, host)
		if err != nil || ep.host != host || ep.remote() {
			t.Errorf("%s: %+v, %v", host, ep, err)
		}
	}
	if _, err := fromEnv(o, "pipe://x"); err == nil || !strings.Contains(err.Error(), "DOCKER_HOST") {
		t.Errorf("got %v", err)
	}
}
