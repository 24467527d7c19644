package cmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/docker/go-units"
	"github.com/spf13/cobra"

	"heretic/runner/image"
)

func newImageList(a *App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:                   "list",
		Aliases:               []string{"ls"},
		Short:                 "List the images that heretic built",
		Args:                  takes(nil),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runImageList(cmd.Context(), a, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func runImageList(ctx context.Context, a *App, asJSON bool) error {
	engine, err := a.Engine(ctx)
	if err != nil {
		return err
	}
	list, err := image.List(ctx, engine)
	if err != nil {
		return err
	}
	if asJSON {
		return a.IO.JSON(list)
	}
	var rows [][]string
	for _, i := range list {
		rows = append(rows, []string{imageName(i), versionsOf(i), i.User, units.HumanSize(float64(i.Size)),
			age(time.Since(i.Created)) + " ago", imageState(i)})
	}
	if len(list) == 0 {
		a.IO.Say("no images yet: heretic image build claude")
	}
	return a.IO.Table([]string{"IMAGE", "AGENTS", "USER", "SIZE", "BUILT", "STATE"}, rows)
}

func imageName(i image.Image) string {
	if len(i.Tags) == 0 {
		return strings.TrimPrefix(i.ID, "sha256:")[:12]
	}
	return i.Tags[0]
}

func versionsOf(i image.Image) string {
	var words []string
	for _, agent := range i.Agents {
		if v := i.Versions[agent]; v != "" {
			agent += " " + v
		}
		words = append(words, agent)
	}
	return strings.Join(words, ", ")
}

func imageState(i image.Image) string {
	switch {
	case !i.Current:
		return "superseded"
	case len(i.Newer) > 0:
		return "other version known: " + strings.Join(i.Newer, ", ")
	}
	return "current"
}

type imagePruneOptions struct{ all, force, dryRun bool }

func newImagePrune(a *App) *cobra.Command {
	var o imagePruneOptions
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove images that were built again since",
		Long: `Remove images of heretic that no profile finds any more because they were built
again since; with --all every image that heretic built. Images that a container
has stay.`,
		Args:                  takes(nil),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runImagePrune(cmd.Context(), a, o)
		},
	}
	cmd.Flags().BoolVarP(&o.all, "all", "a", false, "remove those in use by profiles too")
	cmd.Flags().BoolVar(&o.force, "force", false, "do not ask")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "show what would be removed, and remove nothing")
	return cmd
}

func runImagePrune(ctx context.Context, a *App, o imagePruneOptions) error {
	engine, err := a.Engine(ctx)
	if err != nil {
		return err
	}
	list, err := image.List(ctx, engine)
	if err != nil {
		return err
	}
	if !o.all {
		list = image.Superseded(list)
	}
	if len(list) == 0 {
		a.IO.Say("nothing to remove")
		return nil
	}
	for _, i := range list {
		a.IO.Say("%s  %s  %s", imageName(i), versionsOf(i), units.HumanSize(float64(i.Size)))
	}
	if o.dryRun {
		a.IO.Say("would remove %s", counted(len(list), "image"))
		return nil
	}
	if !o.force {
		ok, err := a.confirm(ctx, fmt.Sprintf("Remove %s?", counted(len(list), "image")), false)
		if err != nil {
			return withHint(err, "heretic image prune --force")
		}
		if !ok {
			return nil
		}
	}
	inUse, err := image.Remove(ctx, engine, list)
	for _, i := range inUse {
		a.IO.Warn(imageName(i) + " stays: a container has it")
	}
	if err != nil {
		return err
	}
	a.IO.Say("removed %s", counted(len(list)-len(inUse), "image"))
	return nil
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// confirm asks on the terminal.
func (a *App) confirm(ctx context.Context, question string, def bool) (bool, error) {
	p, err := a.IO.Prompter()
	if err != nil {
		return false, err
	}
	defer p.Close()
	return p.Confirm(ctx, question, def)
}
