package runner

import (
	"context"
	"fmt"

	"github.com/containerd/errdefs"
)

// ImageInfo is what a plan needs to know of an image.
type ImageInfo struct {
	ID         string
	User       string
	Env        []string
	Entrypoint []string
	Cmd        []string
	Labels     map[string]string
	WorkingDir string
	OS, Arch   string
}

// Image looks an image up in the engine's store. The error is an *ImageError
// that wraps ErrNotFound when it is not there.
func (e *Engine) Image(ctx context.Context, ref string) (ImageInfo, error) {
	api, err := e.api(ctx)
	if err != nil {
		return ImageInfo{}, err
	}
	r, err := api.ImageInspect(ctx, ref)
	if errdefs.IsNotFound(err) {
		return ImageInfo{}, &ImageError{Ref: ref, Err: fmt.Errorf("%w: %s", ErrNotFound, daemonText(err))}
	}
	if err != nil {
		return ImageInfo{}, e.wrap("look at image "+ref, err)
	}
	info := ImageInfo{ID: r.ID, OS: r.Os, Arch: r.Architecture}
	if c := r.Config; c != nil {
		info.User, info.Env, info.Entrypoint, info.Cmd = c.User, c.Env, c.Entrypoint, c.Cmd
		info.Labels, info.WorkingDir = c.Labels, c.WorkingDir
	}
	return info, nil
}
