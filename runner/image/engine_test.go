//go:build linux

package image_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/filters"
	dockerimage "github.com/docker/docker/api/types/image"

	"heretic/runner"
	"heretic/runner/image"
	"heretic/runner/runnertest"
)

// scoped is the engine's store, less the images of everybody else: a test must
// not remove what the user of this machine has built.
type scoped struct {
	*runner.Engine
	label string
}

func (s scoped) Images(ctx context.Context, label string) ([]runner.ImageSummary, error) {
	all, err := s.Engine.Images(ctx, label)
	return slices.DeleteFunc(all, func(i runner.ImageSummary) bool { return i.Labels[s.label] == "" }), err
}

func engineStore(t *testing.T) (s scoped, base string) {
	t.Helper()
	base = runnertest.Image(t)
	e, err := runner.Connect(t.Context(), runner.ConnectOptions{
		Home: t.TempDir(),
		Lookup: func(name string) (string, bool) {
			if name == "DOCKER_HOST" {
				return runnertest.Address(), true
			}
			return os.LookupEnv(name)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return scoped{e, fmt.Sprintf("heretic-test-prune-%d-%d", os.Getpid(), time.Now().UnixNano())}, base
}

// build makes an image that looks like one of heretic's; change makes it
// another than the one before.
func (s scoped) build(t *testing.T, base, recipe, change string, tags ...string) string {
	t.Helper()
	dockerfile := fmt.Sprintf("FROM %s\nLABEL %s=1 change=%s\n", base, s.label, change)
	if recipe != "" {
		dockerfile += fmt.Sprintf("LABEL %s=%s %s=claude %s=claude=1.0.0\n", image.LabelRecipe, recipe, image.LabelAgents, image.LabelVersions)
	}
	id, err := s.Build(t.Context(), runner.BuildOptions{Dockerfile: dockerfile, Tags: tags})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, ref := range append(tags, id) {
			if err := s.RemoveImage(context.WithoutCancel(t.Context()), ref); err != nil {
				t.Errorf("the image stays: %v", err)
			}
		}
	})
	return id
}

// TestEnginePrune builds twice what a profile finds, and removes the older
// image alone: not the newer, not one with a name of the user's, not one that a
// container has, not one that heretic did not build.
func TestEnginePrune(t *testing.T) {
	s, base := engineStore(t)
	ours := "heretic/" + s.label
	find := ours + ":uid1"
	old := s.build(t, base, "aaaaaaaaaaaa", "1", ours+":aaaaaaaaaaaa", find)
	held := s.build(t, base, "bbbbbbbbbbbb", "2", ours+":bbbbbbbbbbbb", find)
	newest := s.build(t, base, "cccccccccccc", "3", ours+":cccccccccccc", find)
	named := s.build(t, base, "dddddddddddd", "4", s.label+"/mine:1")
	foreign := s.build(t, base, "", "5", s.label+"/foreign:1")

	id, err := s.Create(t.Context(), runner.Spec{Name: s.label, Image: held, Network: "none", Cmd: []string{"true"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Remove(context.WithoutCancel(t.Context()), id); err != nil {
			t.Error(err)
		}
	})

	list, err := image.List(t.Context(), s)
	if err != nil || len(list) != 4 {
		t.Fatalf("%d images, %v: %+v", len(list), err, list)
	}
	superseded := image.Superseded(list)
	inUse, err := image.Remove(t.Context(), s, superseded)
	if err != nil {
		t.Fatal(err)
	}
	if len(superseded) != 2 || len(inUse) != 1 || !same(inUse[0].ID, held) {
		t.Errorf("superseded %+v, in use %+v", superseded, inUse)
	}
	list, err = image.List(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for what, id := range map[string]string{"in use": held, "newest": newest, "named": named} {
		if !slices.ContainsFunc(list, func(i image.Image) bool { return same(i.ID, id) }) {
			t.Errorf("the image %s is gone", what)
		}
	}
	if slices.ContainsFunc(list, func(i image.Image) bool { return same(i.ID, old) }) {
		t.Error("the superseded image is still there")
	}
	if _, err := s.Image(t.Context(), foreign); err != nil {
		t.Errorf("an image that is not heretic's: %v", err)
	}
	if again, err := image.Remove(t.Context(), s, image.Superseded(list)); err != nil || len(again) != 1 {
		t.Errorf("a second time: %+v, %v", again, err)
	}
}

// same compares two IDs, of which one may be short.
func same(a, b string) bool {
	a, b = strings.TrimPrefix(a, "sha256:"), strings.TrimPrefix(b, "sha256:")
	return len(a) >= 12 && len(b) >= 12 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

// TestEngineBuildNeedsAShell sees what is said of a base that is not a
// Debian.
func TestEngineBuildNeedsAShell(t *testing.T) {
	s, base := engineStore(t)
	defer removeHalfBuilt(t, base)
	r := mustNew(t, image.Options{Agents: []string{"generic"}, Base: base, Node: "base"})
	_, err := image.Build(t.Context(), s, r, image.BuildOptions{Tags: []string{"heretic-test/never:1"}})
	step, ok := errors.AsType[*image.StepError](err)
	if !ok || step.Title != "git, ripgrep and the usual tools" || !strings.Contains(step.Hint(), "Debian or Ubuntu image") {
		t.Errorf("a base without a shell: %v", err)
	}
}

// removeHalfBuilt removes what a failed build keeps of its first steps: images
// without a name that have nothing but the base's files and the build's LANG.
func removeHalfBuilt(t *testing.T, base string) {
	t.Helper()
	ctx := t.Context()
	cli := runnertest.Client(t)
	of, err := cli.ImageInspect(ctx, base)
	if err != nil {
		t.Fatal(err)
	}
	list, err := cli.ImageList(ctx, dockerimage.ListOptions{Filters: filters.NewArgs(filters.Arg("dangling", "true"))})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range list {
		got, err := cli.ImageInspect(ctx, i.ID)
		if errdefs.IsNotFound(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got.Config == nil || !slices.Equal(got.RootFS.Layers, of.RootFS.Layers) || !slices.Contains(got.Config.Env, "LANG=C.UTF-8") {
			continue
		}
		if _, err := cli.ImageRemove(ctx, i.ID, dockerimage.RemoveOptions{PruneChildren: true}); err != nil && !errdefs.IsNotFound(err) {
			t.Error(err)
		}
	}
}
