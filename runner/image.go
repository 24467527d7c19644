package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
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
		return ImageInfo{}, &ImageError{Ref: ref, Err: ErrNotFound}
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

// ImageSummary is an image as the engine lists it.
type ImageSummary struct {
	ID      string
	Tags    []string
	Created time.Time
	Size    int64 // bytes, with the layers that it shares
	Labels  map[string]string
}

// Images returns the images that carry a label, the newest first. Those that
// have lost their name are among them.
func (e *Engine) Images(ctx context.Context, label string) ([]ImageSummary, error) {
	api, err := e.api(ctx)
	if err != nil {
		return nil, err
	}
	list, err := api.ImageList(ctx, image.ListOptions{Filters: filters.NewArgs(filters.Arg("label", label))})
	if err != nil {
		return nil, e.wrap("list images", err)
	}
	out := make([]ImageSummary, 0, len(list))
	for _, s := range list {
		i := ImageSummary{ID: s.ID, Created: time.Unix(s.Created, 0), Size: s.Size, Labels: s.Labels}
		for _, tag := range s.RepoTags {
			if tag != "<none>:<none>" {
				i.Tags = append(i.Tags, tag)
			}
		}
		out = append(out, i)
	}
	slices.SortStableFunc(out, func(a, b ImageSummary) int { return b.Created.Compare(a.Created) })
	return out, nil
}

// ErrInUse is wrapped by the error of RemoveImage when a container, running or
// not, has the image.
var ErrInUse = errors.New("in use")

// RemoveImage takes a name from an image, or an image by its ID, and the image
// with its last name. One that is gone is fine.
func (e *Engine) RemoveImage(ctx context.Context, ref string) error {
	api, err := e.api(ctx)
	if err != nil {
		return err
	}
	_, err = api.ImageRemove(ctx, ref, image.RemoveOptions{PruneChildren: true})
	switch {
	case errdefs.IsNotFound(err):
		return nil
	case errdefs.IsConflict(err):
		return fmt.Errorf("remove image %q: %w: %s", ref, ErrInUse, daemonText(err))
	}
	return e.wrap("remove image "+ref, err)
}
