package runner

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/docker/cli/cli/config/configfile"
	"github.com/docker/cli/cli/connhelper"
	clicontext "github.com/docker/cli/cli/context"
	dockercontext "github.com/docker/cli/cli/context/docker"
	"github.com/docker/cli/cli/context/store"
	cliopts "github.com/docker/cli/opts"
	"github.com/docker/docker/client"
	"github.com/docker/go-connections/tlsconfig"
)

// endpoint is where the engine listens, and what chose it.
type endpoint struct {
	host, why string
	tls       *clicontext.TLSData
	noVerify  bool
	headers   map[string]string
	tried     []string // sockets that exist and do not answer, with the reason
}

// choose finds the engine in the order that Connect documents.
func choose(ctx context.Context, o ConnectOptions, cfg func() *configfile.ConfigFile) (endpoint, error) {
	if host := o.env("DOCKER_HOST"); host != "" {
		return fromEnv(o, host)
	}
	name, why := o.env("DOCKER_CONTEXT"), "DOCKER_CONTEXT"
	if name == "" {
		name, why = cfg().CurrentContext, "context"
	}
	if name != "" && name != "default" {
		return fromContext(o, name, why+" "+name)
	}
	return usual(ctx, o), nil
}

func fromEnv(o ConnectOptions, host string) (endpoint, error) {
	verify := o.env("DOCKER_TLS_VERIFY") != ""
	useTLS := verify || o.env("DOCKER_TLS") != ""
	parsed := host
	if !strings.HasPrefix(host, "ssh://") {
		var err error
		if parsed, err = cliopts.ParseHost(useTLS, host); err != nil {
			return endpoint{}, &hostError{fmt.Errorf("DOCKER_HOST %q: %w", host, err), "write it like unix:///var/run/docker.sock, tcp://host:2376 or ssh://user@host"}
		}
	}
	ep := endpoint{host: parsed, why: "DOCKER_HOST"}
	if !useTLS {
		return ep, nil
	}
	dir := o.env("DOCKER_CERT_PATH")
	if dir == "" {
		dir = o.configDir()
	}
	file := func(name string) string {
		p := filepath.Join(dir, name)
		if _, err := os.Stat(p); errors.Is(err, fs.ErrNotExist) && name != "ca.pem" {
			return ""
		}
		return p
	}
	ca := file("ca.pem")
	if !verify {
		ca, ep.noVerify = "", true
	}
	data, err := clicontext.TLSDataFromFiles(ca, file("cert.pem"), file("key.pem"))
	if err != nil {
		return endpoint{}, &hostError{fmt.Errorf("DOCKER_CERT_PATH %q: %w", dir, err), "put ca.pem, cert.pem and key.pem there, or unset DOCKER_TLS_VERIFY"}
	}
	ep.tls = data
	return ep, nil
}

func fromContext(o ConnectOptions, name, why string) (endpoint, error) {
	s := store.New(filepath.Join(o.configDir(), "contexts"), store.NewConfig(
		func() any { return &map[string]any{} },
		store.EndpointTypeGetter(dockercontext.DockerEndpoint, func() any { return &dockercontext.EndpointMeta{} }),
	))
	fail := func(err error) (endpoint, error) {
		return endpoint{}, &hostError{fmt.Errorf("%s: %w", why, err), "`docker context ls` shows the contexts there are"}
	}
	meta, err := s.GetMetadata(name)
	if err != nil {
		return fail(err)
	}
	em, err := dockercontext.EndpointFromContext(meta)
	if err != nil {
		return fail(err)
	}
	full, err := dockercontext.WithTLSData(s, name, em)
	if err != nil {
		return fail(err)
	}
	return endpoint{host: full.Host, why: why, tls: full.TLSData, noVerify: full.SkipTLSVerify}, nil
}

// client returns the options of the API client, and the HTTP client that they
// make it use.
func (ep endpoint) client() (*http.Client, []client.Opt, error) {
	tr := &http.Transport{MaxIdleConns: 6, IdleConnTimeout: 30 * time.Second}
	hc := &http.Client{Transport: tr, CheckRedirect: client.CheckRedirect}
	opts := []client.Opt{client.WithHTTPClient(hc)}
	if len(ep.headers) > 0 {
		opts = append(opts, client.WithHTTPHeaders(ep.headers))
	}
	fail := func(err error) (*http.Client, []client.Opt, error) {
		return nil, nil, &hostError{fmt.Errorf("%s (%s): %w", ep.host, ep.why, err), "check the address of the engine"}
	}
	helper, err := connhelper.GetConnectionHelper(ep.host)
	if err != nil {
		return fail(err)
	}
	if helper != nil {
		return hc, append(opts, client.WithHost(helper.Host), client.WithDialContext(helper.Dialer)), nil
	}
	if strings.HasPrefix(ep.host, "tcp://") && (ep.tls != nil || ep.noVerify) {
		if tr.TLSClientConfig, err = ep.tlsConfig(); err != nil {
			return fail(err)
		}
		tr.DialContext = (&net.Dialer{KeepAlive: 30 * time.Second, Timeout: 30 * time.Second}).DialContext
	}
	return hc, append(opts, client.WithHost(ep.host)), nil
}

func (ep endpoint) tlsConfig() (*tls.Config, error) {
	cfg := tlsconfig.ClientDefault()
	cfg.InsecureSkipVerify = ep.noVerify
	if ep.tls == nil {
		return cfg, nil
	}
	if ep.tls.CA != nil {
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(ep.tls.CA) {
			return nil, errors.New("ca.pem holds no certificate")
		}
	}
	if ep.tls.Cert != nil && ep.tls.Key != nil {
		pair, err := tls.X509KeyPair(ep.tls.Cert, ep.tls.Key)
		if err != nil {
			return nil, fmt.Errorf("client certificate: %w", err)
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	return cfg, nil
}

// remote tells whether the engine is on another machine. An address of this
// machine's loopback counts as local.
func (ep endpoint) remote() bool {
	u, err := url.Parse(ep.host)
	if err != nil {
		return false
	}
	switch u.Scheme {
	case "unix", "npipe", "fd":
		return false
	}
	host := u.Hostname()
	if host == "localhost" || host == "" {
		return false
	}
	ip := net.ParseIP(host)
	return ip == nil || !ip.IsLoopback()
}

// hostError is about the choice of the engine.
type hostError struct {
	err  error
	hint string
}

func (e *hostError) Error() string { return e.err.Error() }
func (e *hostError) Unwrap() error { return e.err }
func (e *hostError) Hint() string  { return e.hint }

// unavailable explains an engine that does not answer.
func (e *Engine) unavailable(err error) error {
	hint := "start it (on Linux: `sudo systemctl start docker`), or set DOCKER_HOST; `heretic doctor` looks closer"
	if e.endpoint.remote() {
		hint = "correct the address, or use an engine of this machine: `docker context ls`, `docker context use default`"
	} else if errors.Is(err, fs.ErrPermission) || strings.Contains(err.Error(), "permission denied") {
		hint = "you may not use that socket: `sudo usermod -aG docker $USER`, then log in again"
	}
	if len(e.endpoint.tried) > 0 {
		hint += "; tried: " + strings.Join(e.endpoint.tried, ", ")
	}
	return &UnavailableError{Host: e.endpoint.host, Why: e.endpoint.why, Err: err, hint: hint}
}
