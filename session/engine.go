package session

import (
	"context"
	"io"

	"heretic/runner"
)

// Engine is what a launch needs of a container engine; [runner.Engine] is one.
type Engine interface {
	Run(ctx context.Context, o runner.RunOptions) (runner.Result, error)
	List(ctx context.Context, labels map[string]string, all bool) ([]runner.Container, error)
	Remove(ctx context.Context, id string) error
	Logs(ctx context.Context, id string, o runner.LogsOptions) error

	Image(ctx context.Context, ref string) (runner.ImageInfo, error)
	Pull(ctx context.Context, ref, platform string, progress io.Writer) error
	Create(ctx context.Context, s runner.Spec) (id string, err error)
	CopyTo(ctx context.Context, id, path string, tar io.Reader) error
	FillMemory(ctx context.Context, id, target string, files []byte, probe string, helper runner.Spec) (release func() error, err error)
	RemoveVolumes(ctx context.Context, labels map[string]string) ([]string, error)
	CopyFrom(ctx context.Context, id, path string) (io.ReadCloser, error)
	InitFails(code int) bool
}

var _ Engine = (*runner.Engine)(nil)
