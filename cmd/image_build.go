package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"heretic/mcpconf/target"
	"heretic/runner/image"
)

type imageBuildOptions struct {
	agents   []string
	base     string
	node     string
	tags     []string
	with     []string
	versions []string
	uid, gid int
	args     []string
	network  string
	noCache  bool
	pull     bool
	dryRun   bool
}

func newImageBuild(a *App) *cobra.Command {
	var o imageBuildOptions
	cmd := &cobra.Command{
		Use:   "build <agent-type>... [flags]",
		Short: "Build an image with one or more agents",
		Long: `Build an image through the container engine: the agents from npm in versions that
this heretic was tried with, node, git, ripgrep and the usual tools, the MCP
servers that --with names, and a user 'agent' with your user id. No secret gets
into it.

Agent types:
  ` + strings.Join(image.Agents(), " "),
		Example: `  heretic image build claude
  heretic image build claude codex --with @modelcontextprotocol/server-memory
  heretic image build claude --base ubuntu:24.04 --version claude=2.1.332
  heretic image build gemini --dry-run > Dockerfile`,
		DisableFlagsInUseLine: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &usageError{withHint(errors.New("missing argument <agent-type>"), "one or more of "+strings.Join(image.Agents(), ", ")), ""}
			}
			return nil
		},
		ValidArgs: image.Agents(),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.agents = args
			return runImageBuild(cmd.Context(), a, o)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.base, "base", image.DefaultBase, "a Debian or Ubuntu `image` to build on")
	flags.StringVar(&o.node, "node", "", "the `image` to copy node and npm from; 'base': the base has them (default: "+image.DefaultBase+", unless the base is a node image)")
	flags.StringArrayVar(&o.tags, "tag", nil, "a `name` for the image, instead of the names that 'image: build' finds")
	flags.StringArrayVar(&o.with, "with", nil, "an npm `package` of an MCP server to install: name or name@version")
	flags.StringArrayVar(&o.versions, "version", nil, "another version of an agent: `agent=version`")
	flags.IntVar(&o.uid, "uid", os.Getuid(), "the user `id` of the user agent; 0 stands for 1000")
	flags.IntVar(&o.gid, "gid", os.Getgid(), "its group `id`; 0 stands for 1000")
	flags.StringArrayVar(&o.args, "build-arg", nil, "a `variable` for the build, NAME=value or NAME: HTTPS_PROXY, NPM_CONFIG_REGISTRY")
	flags.StringVar(&o.network, "network", "", "the `network` of the build, as for docker build")
	flags.BoolVar(&o.noCache, "no-cache", false, "do every step again")
	flags.BoolVar(&o.pull, "pull", false, "look for a newer base")
	flags.BoolVar(&o.dryRun, "dry-run", false, "print the Dockerfile, and build nothing")
	return cmd
}

// recipe is what the flags ask for.
func (o imageBuildOptions) recipe() (image.Recipe, error) {
	versions := map[string]string{}
	for _, v := range o.versions {
		agent, version, ok := strings.Cut(v, "=")
		if !ok {
			return image.Recipe{}, fmt.Errorf("--version %q: want agent=version", v)
		}
		versions[agent] = version
	}
	return image.New(image.Options{
		Agents: o.agents, Base: o.base, Node: o.node, With: o.with, Versions: versions,
		UID: o.uid, GID: o.gid, Homes: homesOf(o.agents),
	})
}

// homesOf are the directories where agents keep what they know, and the
// directories above them: what the engine would make, it would make as root.
func homesOf(agents []string) []string {
	var dirs []string
	for _, name := range agents {
		t, _ := target.Lookup(name)
		for _, dir := range t.HomeDirs {
			if !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	slices.Sort(dirs)
	return dirs
}

func runImageBuild(ctx context.Context, a *App, o imageBuildOptions) error {
	r, err := o.recipe()
	if err != nil {
		return &usageError{err, ""}
	}
	args := map[string]string{}
	for _, arg := range o.args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok {
			value, ok = a.Lookup(name)
		}
		if !ok || name == "" {
			return &usageError{fmt.Errorf("--build-arg %q has no value", name), ""}
		}
		args[name] = value
	}
	if o.dryRun {
		return a.IO.Print([]byte(r.Dockerfile()))
	}
	built, err := a.buildImage(ctx, r, image.BuildOptions{
		Tags: o.tags, Args: args, Network: o.network, NoCache: o.noCache, Pull: o.pull,
	})
	if err != nil {
		return err
	}
	return a.IO.Print([]byte(built.Tags[0] + "\n"))
}

// buildImage builds with progress on standard error.
func (a *App) buildImage(ctx context.Context, r image.Recipe, o image.BuildOptions) (image.Built, error) {
	engine, err := a.Engine(ctx)
	if err != nil {
		return image.Built{}, err
	}
	steps := newStepProgress(a.IO)
	o.Step, o.PullProgress = func(s image.Step) { steps.begin(fmt.Sprintf("[%*d/%d] %s", digits(s.Of), s.N, s.Of, s.Title)) }, a.IO.Err
	built, err := image.Build(ctx, engine, r, o)
	steps.end()
	if err != nil {
		return built, err
	}
	a.IO.Say("built %s in %s", strings.Join(built.Tags, ", "), built.Took.Round(time.Second))
	return built, nil
}

func digits(n int) int { return len(fmt.Sprint(n)) }
