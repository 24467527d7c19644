package runner

import (
	"runtime"
	"strings"
)

// Socket is where the engine's own socket is on the engine's machine, for a
// container that is to drive the engine. Where the engine runs in a virtual
// machine (Docker Desktop, Colima), that is not the socket heretic talks to.
func (e *Engine) Socket() string { return engineSocket(e.endpoint.host, runtime.GOOS) }

func engineSocket(host, system string) string {
	if path, ok := strings.CutPrefix(host, "unix://"); ok && system == "linux" {
		return path
	}
	return "/var/run/docker.sock"
}
