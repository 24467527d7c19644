package runner

import (
	"io"
	"time"
)

// Spec is everything the engine is told about one container.
type Spec struct {
	Name       string
	Image      string
	Platform   string
	Entrypoint []string // nil: the image's
	Cmd        []string // nil: the image's
	Env        []string // NAME=value
	WorkingDir string
	User       string
	Hostname   string
	Labels     map[string]string
	Mounts     []Mount

	TTY         bool // allocate a terminal
	Interactive bool // keep standard input open

	Network      string
	Ports        []string // as docker run -p
	AddHosts     []string
	DNS          []string
	CapAdd       []string
	CapDrop      []string
	Privileged   bool
	SecurityOpt  []string
	Devices      []string
	GPUs         string
	Ulimits      []string
	Memory       string
	CPUs         string
	ShmSize      string
	Tmpfs        map[string]string // target -> options
	ReadOnlyRoot bool
	Init         *bool
}

// MountType is the kind of a Mount.
type MountType string

// The kinds of mounts.
const (
	Bind   MountType = "bind"
	Volume MountType = "volume"
	Tmpfs  MountType = "tmpfs"
	// Memory is a volume without a Source that the engine keeps in memory; see
	// [Engine.FillMemory].
	Memory MountType = "memory"
)

// Mount is one mount. Sources of binds are absolute and checked to exist
// before anything is created.
type Mount struct {
	Type           MountType
	Source, Target string
	ReadOnly       bool
	// OnEngine tells that Source is a path of the engine's machine, which is
	// not looked at here.
	OnEngine  bool
	TmpfsMode uint32 // of a Tmpfs
}

// Streams are the three streams of the caller. Run and Attach ask them
// whether they are terminals.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Result is how a run or an attach ended.
type Result struct {
	// ExitCode is the agent's own, 125..127 when it did not start, or 128+n
	// when it was killed by signal n.
	ExitCode int
	// Detached tells that the user detached and the container runs on.
	Detached bool
}

// Container is a container of heretic as the engine lists it.
type Container struct {
	ID, Name string
	Image    string
	State    string // created, running, paused, restarting, removing, exited, dead
	Status   string // the engine's words
	ExitCode int
	Created  time.Time
	Labels   map[string]string
	Ports    []string // as docker ps shows them
}

// Live tells whether the container has processes, or is about to.
func (c Container) Live() bool {
	switch c.State {
	case "running", "paused", "restarting", "created":
		return true
	}
	return false
}
