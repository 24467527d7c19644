package profile

import (
	"fmt"
	"path"
	"strings"

	"heretic/mcpconf"
	"heretic/profile/schema"
)

// extra resolves the container's settings.
func (r *resolver) extra() {
	e := &r.out.Profile.Extra
	for path, to := range map[string]*string{
		"network": &e.Network, "user": &e.User, "hostname": &e.Hostname, "memory": &e.Memory, "cpus": &e.CPUs,
		"shm_size": &e.ShmSize, "gpus": &e.GPUs, "platform": &e.Platform,
	} {
		*to = r.string("extra." + path)
	}
	for path, to := range map[string]*[]string{
		"ports": &e.Ports, "capabilities": &e.CapAdd, "add_hosts": &e.AddHosts, "dns": &e.DNS,
		"devices": &e.Devices, "ulimits": &e.Ulimits, "tmpfs": &e.Tmpfs,
	} {
		*to = r.strings("extra." + path)
	}
	e.SecurityOpt = r.each("extra.security_opt", r.securityOpt)
	for path, to := range map[string]*bool{
		"privileged": &e.Privileged, "read_only": &e.ReadOnly, "hardened": &e.Hardened, "protect_hooks": &e.ProtectHooks,
	} {
		*to = r.bool("extra." + path)
	}
	if _, ok := r.m.Get("extra.init"); ok {
		on := r.bool("extra.init")
		e.Init = &on
	}
	for path, ok := range map[string]func(string) bool{"memory": schema.IsSize, "shm_size": schema.IsSize, "cpus": schema.IsCount} {
		v, set := r.m.Get("extra." + path)
		if s := r.extraText(path); set && s != "" && !ok(s) {
			r.fail(v, v.Path, v.Node, fmt.Errorf("%q is not a valid value", v.Node.Value))
		}
	}
	r.labels()
	r.tmpfs()
}

// securityOpt makes the path in an option absolute.
func (r *resolver) securityOpt(s string) (string, error) {
	file, ok := seccompFile(s)
	if !ok {
		return s, nil
	}
	file, err := r.m.loader.hostPath(file)
	return "seccomp=" + file, err
}

// tmpfs refuses a place where a volume is: one of the two would be hidden.
func (r *resolver) tmpfs() {
	p := &r.out.Profile
	v, ok := r.m.Get("extra.tmpfs")
	if !ok {
		return
	}
	for _, t := range p.Extra.Tmpfs {
		target, _, _ := strings.Cut(t, ":")
		for _, vol := range p.Volumes {
			if path.Clean(target) == vol.Target {
				r.fail(v, v.Path, v.Node, fmt.Errorf("%s is the target of a volume already: %s", vol.Target, vol))
			}
		}
	}
}

// extraText is what a size resolved to.
func (r *resolver) extraText(path string) string {
	e := r.out.Profile.Extra
	return map[string]string{"memory": e.Memory, "shm_size": e.ShmSize, "cpus": e.CPUs}[path]
}

func (r *resolver) labels() {
	v, ok := r.m.Get("extra.labels")
	if !ok {
		return
	}
	for i := 0; i+1 < len(v.Node.Content); i += 2 {
		k, n := v.Node.Content[i], v.Node.Content[i+1]
		path := schema.Child(v.Path, k.Value)
		if err := checkName(v.Path, k.Value); err != nil {
			r.fail(v, path, k, err)
			continue
		}
		if s, ok := r.expand(v, path, n); ok {
			r.out.Profile.Extra.Labels = append(r.out.Profile.Extra.Labels, mcpconf.Var{Name: k.Value, Value: s})
			r.origin(path, s, r.tainted, v.Origin())
		}
	}
}
