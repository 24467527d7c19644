//go:build !windows

package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"
	"strings"

	"github.com/docker/docker/client"
)

// usual is the engine where nothing names one.
func usual(ctx context.Context, o ConnectOptions) endpoint { return firstSocket(ctx, o, sockets()) }

// socket is a place where an engine may listen. Paths start with ~ or with
// the name of an environment variable.
type socket struct{ path, why string }

// sockets are tried in order when nothing names an engine.
func sockets() []socket {
	return []socket{
		{strings.TrimPrefix(client.DefaultDockerHost, "unix://"), "default socket"},
		{"$XDG_RUNTIME_DIR/docker.sock", "socket of rootless Docker"},
		{"~/.docker/run/docker.sock", "socket of Docker Desktop"},
		{"~/.docker/desktop/docker.sock", "socket of Docker Desktop"},
		{"~/.orbstack/run/docker.sock", "socket of OrbStack"},
		{"~/.colima/default/docker.sock", "socket of Colima"},
		{"~/.config/colima/default/docker.sock", "socket of Colima"},
		{"~/.colima/docker.sock", "socket of Colima"},
		{"~/.rd/docker.sock", "socket of Rancher Desktop"},
		{"$XDG_RUNTIME_DIR/podman/podman.sock", "socket of rootless Podman"},
		{"/run/podman/podman.sock", "socket of Podman"},
		{"~/.local/share/containers/podman/machine/podman.sock", "socket of Podman machine"},
	}
}

// firstSocket returns the first socket that answers, or else the default one.
func firstSocket(ctx context.Context, o ConnectOptions, list []socket) endpoint {
	def := endpoint{host: client.DefaultDockerHost, why: "default socket"}
	for _, s := range list {
		path := s.path
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(o.Home, rest)
		}
		if rest, ok := strings.CutPrefix(path, "$XDG_RUNTIME_DIR/"); ok {
			dir := o.env("XDG_RUNTIME_DIR")
			if dir == "" {
				continue
			}
			path = filepath.Join(dir, rest)
		}
		conn, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
		if err == nil {
			conn.Close()
			return endpoint{host: "unix://" + path, why: s.why, tried: def.tried}
		}
		if !errors.Is(err, fs.ErrNotExist) {
			var op *net.OpError
			if errors.As(err, &op) {
				err = op.Err
			}
			def.tried = append(def.tried, fmt.Sprintf("%s (%v)", path, err))
		}
	}
	return def
}
