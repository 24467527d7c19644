package cmd

import (
	"context"

	"heretic/profile"
)

// merge reads the layers of an agent; it runs nothing.
func (a *App) merge(project string, o launchOptions) (*profile.Merged, error) {
	options := profile.Options{
		NoLocal: o.noLocal, Env: o.env, Volumes: o.volumes, Command: o.command,
		Image: o.image, Workdir: o.workdir,
	}
	var err error
	if options.Entrypoint, err = splitFlag("--entrypoint", o.entrypoint); err != nil {
		return nil, err
	}
	loader, err := a.Loader(project)
	if err != nil {
		return nil, err
	}
	if o.mcp != "" {
		in, err := a.readMCPFlag(o.mcp)
		if err != nil {
			return nil, err
		}
		options.MCP = &profile.MCPFlag{Name: in.source.Name, Data: in.data}
	}
	return loader.Merge(o.agent, options)
}

// resolve gives a profile its values, after the user's approval of what the
// project asks for.
func (a *App) resolve(ctx context.Context, project string, o launchOptions) (*profile.Resolved, approval, error) {
	merged, err := a.merge(project, o)
	if err != nil {
		return nil, approval{}, err
	}
	if err := merged.CheckScripts(); err != nil {
		return nil, approval{}, err // before the user is asked for what cannot be
	}
	approved, err := a.approve(ctx, merged, project, o.trust)
	if err != nil {
		return nil, approval{}, err
	}
	resolved, err := merged.Resolve(ctx, a.environment())
	return resolved, approved, err
}

func (a *App) environment() profile.Environment {
	return profile.Environment{Lookup: a.Lookup, Environ: a.Environ()}
}
