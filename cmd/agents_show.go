package cmd

import (
	"bytes"
	"context"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"
)

type showOptions struct {
	launchOptions
	resolved, origin, reveal, json bool
}

func newAgentsShow(a *App) *cobra.Command {
	var o showOptions
	cmd := &cobra.Command{
		Use:   "show <agent> [flags]",
		Short: "Print the profile that an agent runs with",
		Long: `Print what remains of a profile's layers after merging, as YAML. With --resolved,
every variable has its value and what was not written has its default.

Secret values are masked unless --reveal is given. With --resolved, secret
scripts are run, after your approval where the project asks for them.`,
		Args:                  takes([]string{"agent"}),
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     a.completeAgents,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.agent = args[0]
			return runAgentsShow(cmd.Context(), a, o)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.resolved, "resolved", false, "give every variable its value")
	flags.BoolVar(&o.origin, "origin", false, "say where each value comes from")
	flags.BoolVar(&o.reveal, "reveal", false, "show secret values")
	flags.BoolVar(&o.json, "json", false, "print JSON")
	flags.BoolVar(&o.noLocal, "no-local", false, "leave out the project's own profile")
	flags.BoolVar(&o.trust, "trust", false, "approve what the project's profile asks for, for this time")
	return cmd
}

func runAgentsShow(ctx context.Context, a *App, o showOptions) error {
	view, err := a.profileView(ctx, o)
	if err != nil {
		return err
	}
	if o.json {
		return a.printViewJSON(view, o.origin)
	}
	if o.origin {
		view.annotate()
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(view.root); err != nil {
		return err
	}
	return a.IO.Print(b.Bytes())
}

// profileView reads a profile as far as the options ask for it.
func (a *App) profileView(ctx context.Context, o showOptions) (*profileView, error) {
	project, err := a.projectIfAny()
	if err != nil {
		return nil, err
	}
	if !o.resolved {
		merged, err := a.merge(project, o.launchOptions)
		if err != nil {
			return nil, err
		}
		return viewMerged(merged, o.reveal), nil
	}
	resolved, _, err := a.resolve(ctx, project, o.launchOptions)
	if err != nil {
		return nil, err
	}
	a.printNotes(resolved.Notes)
	return viewResolved(resolved, o.reveal)
}

func (a *App) printViewJSON(view *profileView, withOrigin bool) error {
	var profile map[string]any
	if err := view.root.Decode(&profile); err != nil {
		return err
	}
	if withOrigin {
		origins := map[string]string{}
		for path, o := range view.origins {
			origins[path] = o.String()
		}
		profile["origins"] = origins
	}
	return a.IO.JSON(profile)
}
