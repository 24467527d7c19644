package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/containerd/errdefs"
	cliopts "github.com/docker/cli/opts"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/go-connections/nat"
	"github.com/docker/go-units"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// created is a Spec in the engine's terms.
type created struct {
	name     string
	config   container.Config
	host     container.HostConfig
	network  network.NetworkingConfig
	platform *ocispec.Platform
}

// Create makes a container without starting it. The image must be there: the
// error is an *ImageError that wraps ErrNotFound when it is not.
func (e *Engine) Create(ctx context.Context, s Spec) (string, error) {
	c, err := e.prepare(s)
	if err != nil {
		return "", err
	}
	return e.create(ctx, c)
}

// createNow makes the call and sorts its errors.
func (e *Engine) createNow(ctx context.Context, c *created) (string, error) {
	if e.quirks().tmpfsCopiesUp {
		emptyTmpfs(&c.host)
	}
	if e.quirks().mountsAreCSV {
		if err := refuseCSV(c.host.Mounts); err != nil {
			return "", err
		}
	}
	resp, err := e.docker.ContainerCreate(ctx, &c.config, &c.host, &c.network, c.platform, c.name)
	switch {
	case err == nil:
		for _, w := range resp.Warnings {
			e.log.Warn("engine: " + w)
		}
		return resp.ID, nil
	case errdefs.IsNotFound(err) && !strings.Contains(err.Error(), "network "+string(c.host.NetworkMode)) &&
		strings.Contains(strings.ToLower(err.Error()), "image"):
		return "", &ImageError{Ref: c.config.Image, Err: ErrNotFound}
	case c.name != "" && strings.Contains(err.Error(), c.name) &&
		(errdefs.IsConflict(err) || strings.Contains(err.Error(), "already in use")): // Podman: an internal error
		return "", &NameConflictError{Name: c.name}
	}
	if r := refused(err); r != nil {
		return "", fmt.Errorf("create the container: %w", r)
	}
	return "", e.wrap("create the container", err)
}

// emptyTmpfs gives the mounts of tmpfs the form in which they can be told to be
// empty.
func emptyTmpfs(h *container.HostConfig) {
	h.Tmpfs = maps.Clone(h.Tmpfs)
	h.Mounts = slices.DeleteFunc(slices.Clone(h.Mounts), func(m mount.Mount) bool {
		if m.Type != mount.TypeTmpfs {
			return false
		}
		options := "notmpcopyup"
		if m.ReadOnly {
			options += ",ro"
		}
		if o := m.TmpfsOptions; o != nil && o.Mode != 0 {
			options += fmt.Sprintf(",mode=%04o", o.Mode)
		}
		if h.Tmpfs == nil {
			h.Tmpfs = map[string]string{}
		}
		h.Tmpfs[m.Target] = options
		return true
	})
}

// refuseCSV finds a mount whose path would break a line of CSV.
func refuseCSV(list []mount.Mount) error {
	for _, m := range list {
		for _, path := range []string{m.Source, m.Target} {
			if strings.ContainsAny(path, `",`) {
				return &specError{what: "mount path", value: path, err: errors.New("a path with a comma or a double quote cannot be mounted by Podman"),
					hint: "rename it, or use Docker"}
			}
		}
	}
	return nil
}

// prepare checks a Spec and translates it. It asks the engine nothing.
func (e *Engine) prepare(s Spec) (*created, error) {
	if s.Image == "" {
		return nil, errors.New("no image given")
	}
	mounts, err := e.mounts(s.Mounts, s.Labels)
	if err != nil {
		return nil, err
	}
	c := &created{
		name: s.Name,
		config: container.Config{
			Image: s.Image, Entrypoint: s.Entrypoint, Cmd: s.Cmd, Env: s.Env,
			WorkingDir: s.WorkingDir, User: s.User, Hostname: s.Hostname, Labels: s.Labels,
			Tty: s.TTY, OpenStdin: s.Interactive, StdinOnce: s.Interactive,
			AttachStdin: s.Interactive, AttachStdout: true, AttachStderr: true,
		},
		host: container.HostConfig{
			Mounts: mounts, NetworkMode: container.NetworkMode(s.Network),
			DNS: s.DNS, CapAdd: s.CapAdd, CapDrop: s.CapDrop, Privileged: s.Privileged,
			Tmpfs: s.Tmpfs, ReadonlyRootfs: s.ReadOnlyRoot, Init: s.Init,
		},
	}
	if s.Platform != "" {
		parts := append(strings.SplitN(s.Platform, "/", 3), "", "")
		c.platform = &ocispec.Platform{OS: parts[0], Architecture: parts[1], Variant: parts[2]}
	}
	return c, errors.Join(options(s, c), securityOpts(s.SecurityOpt, &c.host))
}

// options translates what has a form of its own.
func options(s Spec, c *created) error {
	return errors.Join(ports(s.Ports, c), hosts(s.AddHosts, &c.host), devices(s, &c.host), limits(s, &c.host))
}

// mounts are the engine's, volumes in memory with the labels of the container.
// It checks that the sources of binds exist: engines differ in what they
// do about a missing one, and one of them makes a directory of it.
func (e *Engine) mounts(list []Mount, labels map[string]string) ([]mount.Mount, error) {
	var out []mount.Mount
	for _, m := range list {
		dm := mount.Mount{Type: mount.Type(m.Type), Source: m.Source, Target: m.Target, ReadOnly: m.ReadOnly}
		switch m.Type {
		case Bind:
			if m.OnEngine {
				break
			}
			if e.endpoint.remote() {
				return nil, &RemoteError{Host: e.endpoint.host, Why: e.endpoint.why, Source: m.Source}
			}
			if _, err := os.Stat(m.Source); err != nil {
				var pe *fs.PathError
				if errors.As(err, &pe) {
					err = pe.Err
				}
				return nil, &specError{what: "mount source", value: m.Source, err: err}
			}
		case Memory:
			dm.Type, dm.Source, dm.VolumeOptions = mount.TypeVolume, "", memoryVolume(labels)
		case Tmpfs:
			dm.Source = ""
			if m.TmpfsMode != 0 {
				dm.TmpfsOptions = &mount.TmpfsOptions{Mode: os.FileMode(m.TmpfsMode)}
			}
		}
		out = append(out, dm)
	}
	return out, nil
}

func ports(list []string, c *created) error {
	exposed, bindings, err := nat.ParsePortSpecs(list)
	if err != nil {
		return &specError{what: "ports", value: strings.Join(list, ", "), err: err, hint: "write a port like 8080:80 or 127.0.0.1:8080:80"}
	}
	if len(list) > 0 {
		c.config.ExposedPorts, c.host.PortBindings = exposed, bindings
	}
	return nil
}

func hosts(list []string, h *container.HostConfig) error {
	for _, v := range list {
		if name, ip, ok := strings.Cut(v, "="); ok {
			v = name + ":" + strings.Trim(ip, "[]")
		}
		if _, err := cliopts.ValidateExtraHost(v); err != nil {
			return &specError{what: "extra host", value: v, err: err, hint: "write it like name:10.0.0.1 or name:host-gateway"}
		}
		h.ExtraHosts = append(h.ExtraHosts, v)
	}
	return nil
}

// securityOpts reads seccomp profiles: the engine wants their content.
func securityOpts(list []string, h *container.HostConfig) error {
	for _, v := range list {
		k, file, ok := strings.Cut(v, "=")
		switch {
		case v == "systempaths=unconfined":
			h.MaskedPaths, h.ReadonlyPaths = []string{}, []string{}
			continue
		case ok && k == "seccomp" && file != "unconfined" && file != "builtin":
			data, err := os.ReadFile(file)
			if err != nil {
				return &specError{what: "security option", value: v, err: err}
			}
			v = "seccomp=" + string(data)
		}
		h.SecurityOpt = append(h.SecurityOpt, v)
	}
	return nil
}

func devices(s Spec, h *container.HostConfig) error {
	for _, v := range s.Devices {
		parts := strings.Split(v, ":")
		d := container.DeviceMapping{PathOnHost: parts[0], PathInContainer: parts[0], CgroupPermissions: "rwm"}
		switch {
		case len(parts) == 2 && !path.IsAbs(parts[1]):
			d.CgroupPermissions = parts[1]
		case len(parts) == 2:
			d.PathInContainer = parts[1]
		case len(parts) == 3:
			d.PathInContainer, d.CgroupPermissions = parts[1], parts[2]
		}
		if len(parts) > 3 || !path.IsAbs(parts[0]) || strings.Trim(d.CgroupPermissions, "rwm") != "" {
			return &specError{what: "device", value: v, err: errors.New("not a device"), hint: "write it like /dev/fuse or /dev/sda:/dev/xvda:rw"}
		}
		h.Devices = append(h.Devices, d)
	}
	if s.GPUs != "" {
		var g cliopts.GpuOpts
		if err := g.Set(s.GPUs); err != nil {
			return &specError{what: "gpus", value: s.GPUs, err: err, hint: `write "all", a number, or device=ID`}
		}
		h.DeviceRequests = g.Value()
	}
	return nil
}

func limits(s Spec, h *container.HostConfig) error {
	size := func(what, v string, to *int64) error {
		if v == "" {
			return nil
		}
		n, err := units.RAMInBytes(v)
		if err != nil {
			return &specError{what: what, value: v, err: errors.New("not a size"), hint: "write it like 512m or 4g"}
		}
		*to = n
		return nil
	}
	errs := []error{size("memory", s.Memory, &h.Memory), size("shm_size", s.ShmSize, &h.ShmSize)}
	if s.CPUs != "" {
		n, err := cliopts.ParseCPUs(s.CPUs)
		if err != nil {
			errs = append(errs, &specError{what: "cpus", value: s.CPUs, err: errors.New("not a number of CPUs"), hint: "write it like 2 or 0.5"})
		}
		h.NanoCPUs = n
	}
	for _, v := range s.Ulimits {
		u, err := units.ParseUlimit(v)
		if err != nil {
			errs = append(errs, &specError{what: "ulimit", value: v, err: err, hint: "write it like nofile=1024:2048"})
			continue
		}
		h.Ulimits = append(h.Ulimits, u)
	}
	return errors.Join(errs...)
}
