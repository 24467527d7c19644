package runner

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/docker/cli/cli/config"
	"github.com/docker/cli/cli/config/configfile"
	"github.com/docker/docker/client"
)

// ConnectOptions is where Connect looks for the engine.
type ConnectOptions struct {
	Lookup func(string) (string, bool) // environment
	Home   string                      // the user's home directory
	Log    *slog.Logger                // nil: no log
}

func (o ConnectOptions) env(name string) string {
	v, _ := o.Lookup(name)
	return v
}

// configDir is the docker CLI's own directory.
func (o ConnectOptions) configDir() string {
	if dir := o.env("DOCKER_CONFIG"); dir != "" {
		return dir
	}
	return filepath.Join(o.Home, ".docker")
}

// Engine is a connection to a Docker-compatible engine. Its methods may be
// used concurrently.
type Engine struct {
	docker   dockerAPI
	endpoint endpoint
	opts     ConnectOptions
	log      *slog.Logger
	server   *serverName
	config   func() *configfile.ConfigFile

	mu    sync.Mutex
	ready bool
}

// Info describes the engine.
type Info struct {
	Host    string // unix:///var/run/docker.sock
	Why     string // what chose it: "DOCKER_HOST", "context colima", "default socket" ...
	Name    string // Docker or Podman
	Version string
	API     string // version in use, negotiated
	OS      string // linux
}

// Connect chooses the engine that the docker CLI would use: DOCKER_HOST, then
// DOCKER_CONTEXT, then the current context of the docker configuration, then
// the default socket; and after these the sockets where rootless Docker,
// Podman, Colima, OrbStack and Docker Desktop listen. The engine itself is not
// asked anything before the first call of a method.
func Connect(ctx context.Context, o ConnectOptions) (*Engine, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	cfg := sync.OnceValue(func() *configfile.ConfigFile {
		name := filepath.Join(o.configDir(), config.ConfigFileName)
		if fi, err := os.Stat(name); err == nil && !fi.Mode().IsRegular() {
			// Reading a FIFO would never end.
			o.Log.Warn("docker configuration not read", "file", name, "err", "not a regular file")
			return configfile.New(name)
		}
		f, err := config.Load(o.configDir())
		if err != nil {
			o.Log.Warn("docker configuration not read", "dir", o.configDir(), "err", err)
		}
		return f
	})
	ep, err := choose(ctx, o, cfg)
	if err != nil {
		return nil, err
	}
	o.Log.Debug("engine chosen", "host", ep.host, "why", ep.why)

	ep.headers = cfg().HTTPHeaders
	hc, opts, err := ep.client()
	if err != nil {
		return nil, err
	}
	if v := o.env("DOCKER_API_VERSION"); v != "" {
		opts = append(opts, client.WithVersion(v))
	} else {
		opts = append(opts, client.WithAPIVersionNegotiation())
	}
	opts = append(opts, client.WithUserAgent("heretic"))
	c, err := client.NewClientWithOpts(opts...)
	if err != nil {
		return nil, err
	}
	server := &serverName{next: hc.Transport}
	hc.Transport = server
	return &Engine{docker: c, endpoint: ep, opts: o, log: o.Log, server: server, config: cfg}, nil
}

// Close ends idle connections.
func (e *Engine) Close() error { return e.docker.Close() }

// api returns the client after the version has been negotiated, which takes
// one call, once. An engine that is down is found here.
func (e *Engine) api(ctx context.Context) (dockerAPI, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.ready {
		if e.opts.env("DOCKER_API_VERSION") == "" {
			ping, err := e.docker.Ping(ctx)
			if err != nil && ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err != nil {
				return nil, e.unavailable(err)
			}
			e.docker.NegotiateAPIVersionPing(ping)
		}
		e.ready = true
	}
	return e.docker, nil
}

// Info asks the engine who it is.
func (e *Engine) Info(ctx context.Context) (Info, error) {
	info := Info{Host: e.endpoint.host, Why: e.endpoint.why}
	api, err := e.api(ctx)
	if err != nil {
		return info, err
	}
	v, err := api.ServerVersion(ctx)
	if err != nil {
		return info, e.wrap("ask the engine for its version", err)
	}
	info.Name, info.Version, info.API, info.OS = e.quirks().kind, v.Version, api.ClientVersion(), v.Os
	return info, nil
}

// serverName remembers the Server header of the first answer: it tells Docker
// and Podman apart without a call of its own.
type serverName struct {
	next http.RoundTripper
	name atomic.Pointer[string]
}

func (s *serverName) get() string {
	if p := s.name.Load(); p != nil {
		return *p
	}
	return ""
}

func (s *serverName) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := s.next.RoundTrip(r)
	if err == nil && s.name.Load() == nil {
		name := resp.Header.Get("Server")
		s.name.CompareAndSwap(nil, &name)
	}
	return resp, err
}
