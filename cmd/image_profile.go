package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"heretic/cmd/internal/ui"
	"heretic/mcpconf/target"
	"heretic/profile"
	"heretic/runner"
	"heretic/runner/image"
)

// buildWord stands in a profile for the image that `heretic image build` makes
// of its agent type. A profile without an image means the same.
const buildWord = "build"

// builtImage gives a profile that asks for a built image the name of it, and
// offers to build it where it is not there.
func (a *App) builtImage(ctx context.Context, engine image.Engine, p *profile.Profile, o *runOptions) error {
	if cmp.Or(p.Image, buildWord) != buildWord {
		return nil
	}
	build := imageBuildOptions{agents: []string{p.AgentType}, uid: os.Getuid(), gid: os.Getgid()}
	recipe, err := build.recipe()
	if err != nil {
		return fmt.Errorf("profile %q has no image: %w", p.Name, err)
	}
	p.Image = image.For(p.AgentType, recipe.UID)
	if o.dryRun {
		return nil
	}
	o.pull = "never" // no registry has it
	_, err = engine.Image(ctx, p.Image)
	if !errors.Is(err, runner.ErrNotFound) {
		return err
	}
	row, _ := target.Lookup(p.AgentType)
	yes, err := a.confirm(ctx, fmt.Sprintf("There is no image with %s yet. Build it now? That takes some minutes.", row.Title), true)
	if err != nil && !errors.Is(err, ui.ErrNoTerminal) {
		return err
	}
	if !yes {
		return withHint(fmt.Errorf("there is no image with %s yet", row.Title), "heretic image build "+p.AgentType)
	}
	_, err = a.buildImage(ctx, recipe, image.BuildOptions{})
	return err
}
