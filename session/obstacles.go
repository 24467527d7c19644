package session

import (
	"fmt"
	"net"
	"net/url"
	"path"
	"slices"
	"strings"

	"heretic/mcpconf"
	"heretic/profile"
)

// Obstacle is a reason why a server will most likely not work in the
// container, as far as its definition shows.
type Obstacle struct {
	Server, Field string
	Text          string
	Fix           string // what to do about it
}

// Obstacles looks at the servers of a resolved profile.
func Obstacles(p profile.Profile) []Obstacle {
	var found []Obstacle
	for _, s := range p.Servers {
		if s.Disabled {
			continue
		}
		if o, ok := obstacle(p, s); ok {
			o.Server = s.Name
			found = append(found, o)
		}
	}
	return found
}

func obstacle(p profile.Profile, s mcpconf.Server) (Obstacle, bool) {
	command := path.Base(s.Command)
	u, err := url.Parse(s.URL)
	switch {
	case s.URL != "" && err == nil && loopback(u.Hostname()) && !ownLoopback(p.Extra.Network):
		return Obstacle{Field: "url", Text: fmt.Sprintf("%s is the container itself, not this machine", u.Hostname()),
			Fix: "use host.docker.internal in the URL (on Linux with `extra: {add_hosts: [host.docker.internal:host-gateway]}`), or `extra: {network: host}`"}, true
	case p.Extra.Network == "none" && slices.Contains([]string{"npx", "pnpx", "bunx", "uvx", "pipx"}, command):
		return Obstacle{Field: "command", Text: command + " downloads what is not in the image, and extra.network is none",
			Fix: "install the server in the image; for packages of npm: heretic image build " + p.AgentType + " --with PACKAGE"}, true
	case !p.Dind && slices.Contains([]string{"docker", "podman"}, command) && !mountsSocket(p):
		return Obstacle{Field: "command", Text: command + " needs an engine, and there is none in the container",
			Fix: "run the server's program itself, or `dind: true`, which gives the agent power over this machine"}, true
	}
	return Obstacle{}, false
}

// ownLoopback tells of a network in which the container's loopback is meant:
// it is the host's or another container's, or all that there is.
func ownLoopback(network string) bool {
	return network == "host" || network == "none" || strings.HasPrefix(network, "container:")
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

func mountsSocket(p profile.Profile) bool {
	return slices.ContainsFunc(p.Volumes, func(v profile.Volume) bool { return strings.HasSuffix(v.Target, ".sock") })
}
