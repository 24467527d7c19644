package runner

import (
	"context"
	"io"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/build"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/volume"
	"github.com/docker/docker/client"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// dockerAPI is what this package needs of the engine's client. It is the only
// place that has to follow when the client library changes.
type dockerAPI interface {
	Ping(ctx context.Context) (types.Ping, error)
	NegotiateAPIVersionPing(types.Ping)
	ServerVersion(ctx context.Context) (types.Version, error)
	ClientVersion() string
	DaemonHost() string
	Close() error

	ContainerCreate(ctx context.Context, c *container.Config, h *container.HostConfig, n *network.NetworkingConfig, p *ocispec.Platform, name string) (container.CreateResponse, error)
	ContainerAttach(ctx context.Context, id string, o container.AttachOptions) (types.HijackedResponse, error)
	ContainerWait(ctx context.Context, id string, c container.WaitCondition) (<-chan container.WaitResponse, <-chan error)
	ContainerStart(ctx context.Context, id string, o container.StartOptions) error
	ContainerResize(ctx context.Context, id string, o container.ResizeOptions) error
	ContainerKill(ctx context.Context, id, signal string) error
	ContainerStop(ctx context.Context, id string, o container.StopOptions) error
	ContainerInspect(ctx context.Context, id string) (container.InspectResponse, error)
	ContainerRemove(ctx context.Context, id string, o container.RemoveOptions) error
	ContainerList(ctx context.Context, o container.ListOptions) ([]container.Summary, error)
	ContainerLogs(ctx context.Context, id string, o container.LogsOptions) (io.ReadCloser, error)
	CopyToContainer(ctx context.Context, id, path string, content io.Reader, o container.CopyToContainerOptions) error
	ContainerStatPath(ctx context.Context, id, path string) (container.PathStat, error)
	CopyFromContainer(ctx context.Context, id, path string) (io.ReadCloser, container.PathStat, error)

	ContainerExecCreate(ctx context.Context, id string, o container.ExecOptions) (container.ExecCreateResponse, error)
	ContainerExecAttach(ctx context.Context, id string, o container.ExecAttachOptions) (types.HijackedResponse, error)
	ContainerExecResize(ctx context.Context, id string, o container.ResizeOptions) error
	ContainerExecInspect(ctx context.Context, id string) (container.ExecInspect, error)

	VolumeList(ctx context.Context, o volume.ListOptions) (volume.ListResponse, error)
	VolumeRemove(ctx context.Context, id string, force bool) error

	ImageInspect(ctx context.Context, ref string, opts ...client.ImageInspectOption) (image.InspectResponse, error)
	ImagePull(ctx context.Context, ref string, o image.PullOptions) (io.ReadCloser, error)
	ImageBuild(ctx context.Context, files io.Reader, o build.ImageBuildOptions) (build.ImageBuildResponse, error)
	ImageList(ctx context.Context, o image.ListOptions) ([]image.Summary, error)
	ImageRemove(ctx context.Context, ref string, o image.RemoveOptions) ([]image.DeleteResponse, error)
}
