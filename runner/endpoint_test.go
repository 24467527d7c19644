//go:build !windows

package runner

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// machine is a home directory with a docker configuration and sockets.
type machine struct {
	home string
	env  map[string]string
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	home, err := os.MkdirTemp("", "m") // short enough for sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	return &machine{home: home, env: map[string]string{}}
}

func (m *machine) write(t *testing.T, path, text string) {
	t.Helper()
	path = filepath.Join(m.home, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (m *machine) context(t *testing.T, name, host string) {
	t.Helper()
	sum := sha256.Sum256([]byte(name))
	m.write(t, ".docker/contexts/meta/"+hex.EncodeToString(sum[:])+"/meta.json",
		fmt.Sprintf(`{"Name":%q,"Metadata":{},"Endpoints":{"docker":{"Host":%q}}}`, name, host))
}

// listen makes a socket; a dead one is left behind by a process that is gone.
func (m *machine) listen(t *testing.T, path string, dead bool) {
	t.Helper()
	path = filepath.Join(m.home, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	if dead {
		l.SetUnlinkOnClose(false)
		l.Close()
		return
	}
	t.Cleanup(func() { l.Close() })
}

func (m *machine) options() ConnectOptions {
	return ConnectOptions{
		Home: m.home,
		Lookup: func(name string) (string, bool) {
			v, ok := m.env[name]
			return strings.ReplaceAll(v, "HOME", m.home), ok
		},
		Log: slog.New(slog.DiscardHandler),
	}
}

// pitfall 36: the engine is the docker CLI's, and what chose it is told.
func TestChoose(t *testing.T) {
	m := newMachine(t)
	m.context(t, "colima", "unix://"+m.home+"/colima.sock")
	m.context(t, "far", "ssh://me@far.example")
	for _, tt := range []struct {
		name   string
		env    map[string]string
		config string
		host   string
		why    string
	}{
		{"DOCKER_HOST first", map[string]string{"DOCKER_HOST": "unix:///x.sock", "DOCKER_CONTEXT": "colima"}, `{"currentContext":"far"}`, "unix:///x.sock", "DOCKER_HOST"},
		{"no scheme", map[string]string{"DOCKER_HOST": "build.example:2375"}, ``, "tcp://build.example:2375", "DOCKER_HOST"},
		{"ssh", map[string]string{"DOCKER_HOST": "ssh://me@far.example"}, ``, "ssh://me@far.example", "DOCKER_HOST"},
		{"DOCKER_CONTEXT next", map[string]string{"DOCKER_CONTEXT": "far"}, `{"currentContext":"colima"}`, "ssh://me@far.example", "DOCKER_CONTEXT far"},
		{"current context", nil, `{"currentContext":"colima"}`, "unix://HOME/colima.sock", "context colima"},
		{"empty DOCKER_HOST", map[string]string{"DOCKER_HOST": ""}, `{"currentContext":"colima"}`, "unix://HOME/colima.sock", "context colima"},
		{"elsewhere", map[string]string{"DOCKER_CONFIG": "HOME/other"}, `{"currentContext":"colima"}`, "", ""},
		{"default by name", map[string]string{"DOCKER_CONTEXT": "default"}, `{"currentContext":"colima"}`, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m.env = tt.env
			m.write(t, ".docker/config.json", "{}")
			if tt.config != "" {
				m.write(t, ".docker/config.json", tt.config)
			}
			e, err := Connect(t.Context(), m.options())
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			host := strings.ReplaceAll(tt.host, "HOME", m.home)
			if host == "" {
				if !strings.HasPrefix(e.endpoint.host, "unix://") || strings.Contains(e.endpoint.why, "context") {
					t.Errorf("chose %s because of %s", e.endpoint.host, e.endpoint.why)
				}
				return
			}
			if e.endpoint.host != host || e.endpoint.why != tt.why {
				t.Errorf("chose %s because of %s, want %s because of %s", e.endpoint.host, e.endpoint.why, host, tt.why)
			}
		})
	}
}

// What cannot be chosen is an error with a hint, not another engine.
func TestChooseErrors(t *testing.T) {
	m := newMachine(t)
	for _, env := range []map[string]string{
		{"DOCKER_HOST": "gopher://x"},
		{"DOCKER_CONTEXT": "nosuch"},
		{"DOCKER_HOST": "tcp://x.example:2376", "DOCKER_TLS_VERIFY": "1"}, // no certificates
		{"DOCKER_HOST": "ssh://me@far.example/?x=y"},
	} {
		m.env = env
		e, err := Connect(t.Context(), m.options())
		if err == nil {
			e.Close()
			t.Errorf("%v: chose %s", env, e.endpoint.host)
			continue
		}
		if h, ok := errors.AsType[interface {
			error
			Hint() string
		}](err); !ok || h.Hint() == "" {
			t.Errorf("%v: no hint with %v", env, err)
		}
	}
}

// pitfall 36: without any configuration the known sockets are tried in order;
// one that is dead does not count, and is told where none answers.
func TestChooseSocket(t *testing.T) {
	if _, err := os.Stat("/var/run/docker.sock"); err == nil {
		// The default socket of this machine would win, as it should.
		t.Run("default", func(t *testing.T) {
			e, err := Connect(t.Context(), newMachine(t).options())
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			if e.endpoint.host != "unix:///var/run/docker.sock" {
				t.Errorf("chose %s", e.endpoint.host)
			}
		})
	}
	for _, tt := range []struct{ path, why string }{
		{"run/docker.sock", "socket of rootless Docker"},
		{".orbstack/run/docker.sock", "socket of OrbStack"},
		{".colima/default/docker.sock", "socket of Colima"},
		{"run/podman/podman.sock", "socket of rootless Podman"},
	} {
		m := newMachine(t)
		m.env["XDG_RUNTIME_DIR"] = "HOME/run"
		m.listen(t, ".docker/run/docker.sock", true)
		m.listen(t, tt.path, false)
		ep := firstSocket(t.Context(), m.options(), sockets()[1:])
		if ep.host != "unix://"+filepath.Join(m.home, tt.path) || ep.why != tt.why {
			t.Errorf("chose %s because of %s, want %s", ep.host, ep.why, tt.path)
		}
	}
	m := newMachine(t)
	m.listen(t, ".docker/run/docker.sock", true)
	ep := firstSocket(t.Context(), m.options(), sockets()[1:9])
	if ep.why != "default socket" || len(ep.tried) != 1 || !strings.Contains(ep.tried[0], "connection refused") {
		t.Errorf("chose %+v", ep)
	}
}

// An engine that is down says where it should be, why there, and what to do
// (pitfall 35).
func TestUnavailable(t *testing.T) {
	m := newMachine(t)
	m.env["DOCKER_HOST"] = "unix://HOME/none.sock"
	e, err := Connect(t.Context(), m.options())
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	_, err = e.List(t.Context(), nil, true)
	down, ok := errors.AsType[*UnavailableError](err)
	if !ok || down.Why != "DOCKER_HOST" || down.Host != "unix://"+m.home+"/none.sock" || down.Hint() == "" {
		t.Errorf("got %v", err)
	}
	res, err := e.Run(t.Context(), RunOptions{Spec: spec(), Streams: discard()})
	if _, ok := errors.AsType[*UnavailableError](err); !ok || res.ExitCode != 125 {
		t.Errorf("got %+v, %v", res, err)
	}
}

// An engine on another machine cannot mount what is here: refused at once,
// without asking it.
func TestRemote(t *testing.T) {
	for host, remote := range map[string]bool{
		"unix:///var/run/docker.sock": false, "npipe:////./pipe/docker_engine": false,
		"tcp://localhost:2375": false, "tcp://127.0.0.1:2375": false, "tcp://[::1]:2375": false,
		"tcp://10.0.0.7:2375": true, "tcp://build.example:2376": true, "ssh://me@far.example": true,
	} {
		if got := (endpoint{host: host}).remote(); got != remote {
			t.Errorf("%s: remote %v", host, got)
		}
	}
	m := newMachine(t)
	m.env["DOCKER_HOST"] = "tcp://build.example:2376"
	e, err := Connect(t.Context(), m.options())
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	s := spec()
	s.Mounts = []Mount{{Type: Bind, Source: m.home, Target: "/workspace"}}
	_, err = e.Run(t.Context(), RunOptions{Spec: s, Streams: discard()})
	if re, ok := errors.AsType[*RemoteError](err); !ok || re.Hint() == "" || !strings.Contains(err.Error(), "DOCKER_HOST") {
		t.Errorf("got %v", err)
	}
}

// tcp with TLS as docker does it: both sides show a certificate, and the
// headers of the docker configuration are sent.
func TestTLS(t *testing.T) {
	m := newMachine(t)
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Api-Version", "1.41")
		if len(r.TLS.PeerCertificates) == 0 || r.Header.Get("X-Proxy") != "me" {
			w.WriteHeader(http.StatusForbidden)
		}
		if strings.HasSuffix(r.URL.Path, "/containers/json") {
			_, _ = io.WriteString(w, "[]")
		}
	}))
	srv.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	srv.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	srv.StartTLS()
	defer srv.Close()
	m.write(t, "certs/ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})))
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "me"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	kder, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	m.write(t, "certs/cert.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	m.write(t, "certs/key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: kder})))

	m.env = map[string]string{"DOCKER_HOST": "tcp://" + srv.Listener.Addr().String(), "DOCKER_CERT_PATH": "HOME/certs"}
	list := func() error {
		e, err := Connect(t.Context(), m.options())
		if err != nil {
			return err
		}
		defer e.Close()
		_, err = e.List(t.Context(), nil, true)
		return err
	}
	m.write(t, ".docker/config.json", `{"HttpHeaders":{"X-Proxy":"me"}}`)
	m.env["DOCKER_TLS_VERIFY"] = "1"
	if err := list(); err != nil {
		t.Errorf("verified: %v", err)
	}
	delete(m.env, "DOCKER_TLS_VERIFY")
	m.env["DOCKER_TLS"] = "1"
	if err := list(); err != nil {
		t.Errorf("not verified: %v", err)
	}
	delete(m.env, "DOCKER_TLS")
	if _, ok := errors.AsType[*UnavailableError](list()); !ok {
		t.Error("an answer without TLS")
	}
}

// ssh goes through the ssh program, as the docker CLI does it.
func TestSSH(t *testing.T) {
	m := newMachine(t)
	bin := filepath.Join(m.home, "bin")
	m.write(t, "bin/ssh", "#!/bin/sh\necho \"$@\" >>"+m.home+"/args\nexit 7\n")
	if err := os.Chmod(filepath.Join(bin, "ssh"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	m.env["DOCKER_HOST"] = "ssh://me@far.example"
	e, err := Connect(t.Context(), m.options())
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := e.List(t.Context(), nil, true); err == nil {
		t.Error("an answer from nowhere")
	}
	args, err := os.ReadFile(filepath.Join(m.home, "args"))
	if err != nil || !strings.Contains(string(args), "me") || !strings.Contains(string(args), "far.example docker system dial-stdio") {
		t.Errorf("ssh was called with %q, %v", args, err)
	}
}
