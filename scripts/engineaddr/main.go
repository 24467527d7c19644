// Engineaddr prints the address of a Docker-compatible engine that answers:
// DOCKER_HOST alone where it is set, else the first of the known sockets. It
// exits 1 when none answers. It needs nothing but the standard library, so
// that scripts/engine can ask before anything else is built or downloaded.
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func main() {
	for _, addr := range candidates(os.Getenv) {
		if answers(addr) {
			fmt.Println(addr)
			return
		}
	}
	os.Exit(1)
}

func candidates(env func(string) string) []string {
	if host := env("DOCKER_HOST"); host != "" {
		return []string{host}
	}
	run := env("XDG_RUNTIME_DIR")
	if run == "" {
		run = filepath.Join("/run/user", strconv.Itoa(os.Getuid()))
	}
	home := env("HOME")
	return []string{
		"unix:///var/run/docker.sock",
		"unix://" + filepath.Join(run, "docker.sock"),
		"unix://" + filepath.Join(home, ".docker/run/docker.sock"),
		"unix://" + filepath.Join(home, ".colima/default/docker.sock"),
		"unix://" + filepath.Join(home, ".orbstack/run/docker.sock"),
		"unix:///run/podman/podman.sock",
		"unix://" + filepath.Join(run, "podman/podman.sock"),
	}
}

// answers asks /_ping of one address. Addresses other than sockets and plain
// TCP (ssh://, TLS) are left to what uses them: they count as answering.
func answers(addr string) bool {
	proto, rest, _ := strings.Cut(addr, "://")
	switch {
	case proto == "unix", proto == "tcp" && os.Getenv("DOCKER_TLS_VERIFY") == "":
	default:
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, proto, strings.TrimSuffix(rest, "/"))
		},
	}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://engine/_ping", nil)
	if err != nil {
		return false
	}
	resp, err := client.Do(req)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}
