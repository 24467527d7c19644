package runner

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/volume"
)

// memoryVolume makes a volume of a container one that the engine keeps in
// memory. It goes with the container, whose labels it has.
func memoryVolume(labels map[string]string) *mount.VolumeOptions {
	return &mount.VolumeOptions{NoCopy: true, Labels: labels, DriverConfig: &mount.Driver{
		Name: "local",
		Options: map[string]string{
			"type": "tmpfs", "device": "tmpfs", "o": "mode=0755,size=16m,nosuid,nodev,noexec",
		},
	}}
}

// fillPause is between two tries to fill a volume.
const fillPause = 10 * time.Millisecond

// releaseTime is what the engine has to let go of a volume.
const releaseTime = 20 * time.Second

// FillMemory unpacks files, a tar stream that holds the file named probe, into
// a [Memory] mount of a container that was created and does not run. An engine
// mounts such a volume only as long as something uses it, and forgets then what
// was in it. So a helper container, made of helper and never started, uses it
// until release is called: after the start of the container, or when that
// failed. Where an engine has no volumes in memory (Podman), it is on its disk
// until the container is removed.
func (e *Engine) FillMemory(ctx context.Context, id, target string, files []byte, probe string, helper Spec) (release func() error, err error) {
	api, err := e.api(ctx)
	if err != nil {
		return nil, err
	}
	volume, err := e.volumeAt(ctx, id, target)
	if err != nil {
		return nil, err
	}
	helper.Mounts = []Mount{{Type: Volume, Source: volume, Target: target}}
	holder, err := e.Create(ctx, helper)
	if err != nil {
		return nil, err
	}
	hold, letGo := context.WithCancel(context.WithoutCancel(ctx))
	in, out := io.Pipe()
	held := make(chan error, 1)
	go func() {
		err := e.CopyTo(hold, holder, target, in)
		in.Close()
		held <- err
	}()
	w := tar.NewWriter(out)
	release = func() error {
		slow := time.AfterFunc(releaseTime, letGo) // of an engine that answers no more
		defer slow.Stop()
		defer letGo()
		w.Close() // what it could say, held says better
		out.Close()
		return errors.Join(<-held, e.Remove(hold, holder), e.removeUnused(hold, volume))
	}
	// An upload that does not end keeps the volume mounted.
	err = w.WriteHeader(&tar.Header{Name: "./", Typeflag: tar.TypeDir, Mode: 0o755})
	for err == nil {
		if err = e.CopyTo(ctx, id, target, bytes.NewReader(files)); err != nil {
			break
		}
		if _, err = api.ContainerStatPath(ctx, id, path.Join(target, probe)); err == nil {
			return release, nil
		} else if !errdefs.IsNotFound(err) {
			break
		}
		select {
		case ended := <-held:
			held <- ended // for release
			err = errors.New("the engine let go of it")
		case <-ctx.Done():
			err = ctx.Err()
		case <-time.After(fillPause):
			err = nil
		}
	}
	return nil, errors.Join(fmt.Errorf("fill the volume in memory: %w", err), release())
}

// removeUnused removes a volume whose container is gone: that could not take
// along what a helper still used.
func (e *Engine) removeUnused(ctx context.Context, volume string) error {
	err := e.docker.VolumeRemove(ctx, volume, false)
	if errdefs.IsNotFound(err) || errdefs.IsConflict(err) {
		return nil
	}
	return e.wrap("remove volume "+short(volume), err)
}

// RemoveVolumes removes the volumes with all of these labels that no container
// has, and returns their names: what a launch leaves that is killed between the
// removals of a container and of its [Memory].
func (e *Engine) RemoveVolumes(ctx context.Context, labels map[string]string) ([]string, error) {
	api, err := e.api(ctx)
	if err != nil {
		return nil, err
	}
	f := filters.NewArgs(filters.Arg("dangling", "true"))
	for name, value := range labels {
		f.Add("label", name+"="+value)
	}
	list, err := api.VolumeList(ctx, volume.ListOptions{Filters: f})
	if err != nil {
		return nil, e.wrap("list volumes", err)
	}
	var removed []string
	var errs []error
	for _, v := range list.Volumes {
		if err := e.removeUnused(ctx, v.Name); err != nil {
			errs = append(errs, err)
			continue
		}
		removed = append(removed, v.Name)
	}
	return removed, errors.Join(errs...)
}

// volumeAt names the volume that a container has at a path.
func (e *Engine) volumeAt(ctx context.Context, id, target string) (string, error) {
	c, err := e.docker.ContainerInspect(ctx, id)
	if err != nil {
		return "", e.wrap("inspect container "+short(id), err)
	}
	for _, m := range c.Mounts {
		if m.Destination == target && m.Name != "" {
			return m.Name, nil
		}
	}
	return "", fmt.Errorf("container %s has no volume at %s", short(id), target)
}
