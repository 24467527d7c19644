package runnertest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"
)

// ErrLeft is the error of [Clean] when it found containers: a test has left
// them behind.
var ErrLeft = errors.New("containers were left behind by tests")

// The images that tests, proof and demo make, as patterns for [Clean]. Those
// besides Agents are kept from one run to the next.
const (
	Agents    = repository
	AllImages = "heretic-test/*"
	Proof     = "heretic-proof/*"
	Demo      = "heretic-demo"
)

// Clean removes test images from an engine. Where other test processes of this
// user use them it does nothing. Containers of these images are removed too,
// and reported with [ErrLeft].
func Clean(ctx context.Context, addr string, log func(format string, args ...any), patterns ...string) error {
	cli, err := client.NewClientWithOpts(client.WithHost(addr), client.WithAPIVersionNegotiation())
	if err != nil {
		return err
	}
	defer cli.Close()
	unlock, err := alone(addr)
	if errors.Is(err, errInUse) {
		log("%s: test images left: %v", addr, err)
		return nil
	}
	if err != nil {
		return err
	}
	defer unlock()

	matching := filters.NewArgs()
	for _, p := range patterns {
		matching.Add("reference", p)
	}
	images, err := cli.ImageList(ctx, image.ListOptions{Filters: matching})
	if err != nil {
		return err
	}
	var errs []error
	for _, img := range images {
		errs = append(errs, removeContainers(ctx, cli, img.ID))
		for _, tag := range img.RepoTags {
			if _, err := cli.ImageRemove(ctx, tag, image.RemoveOptions{}); err != nil {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

func removeContainers(ctx context.Context, cli *client.Client, imageID string) error {
	list, err := cli.ContainerList(ctx, container.ListOptions{All: true, Filters: filters.NewArgs(filters.Arg("ancestor", imageID))})
	if err != nil {
		return err
	}
	var errs []error
	for _, c := range list {
		errs = append(errs, fmt.Errorf("%w: %s (%s)", ErrLeft, strings.Join(c.Names, " "), c.Status))
		if err := cli.ContainerRemove(ctx, c.ID, container.RemoveOptions{Force: true}); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
