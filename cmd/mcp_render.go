package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"heretic/mcpconf"
	"heretic/mcpconf/target"
)

type mcpRenderOptions struct {
	launchOptions
	to           string
	reveal, json bool
}

type mcpRenderResult struct {
	Agent   string         `json:"agent"`
	Form    mcpconf.Form   `json:"form"`
	Servers []string       `json:"servers"`
	Notes   []mcpconf.Note `json:"notes"`
	Content string         `json:"content"`
}

func newMCPRender(a *App) *cobra.Command {
	var o mcpRenderOptions
	cmd := &cobra.Command{
		Use:   "render <agent> [--type <agent-type>] [flags]",
		Short: "Print the MCP configuration that an agent gets",
		Long: `Print the MCP configuration that a run of the agent would generate, or with --type
what another type of agent would get. Values that may be secret are masked unless
--reveal is given.`,
		Args:                  takes([]string{"agent"}),
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     a.completeAgents,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.agent = args[0]
			return runMCPRender(cmd.Context(), a, o)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.to, "type", "", "render for this `type` of agent")
	flags.Var((*wordFlag)(&o.mcp), "mcp", "servers to use instead of the profile's: a `file`, JSON, or - for standard input")
	flags.BoolVar(&o.reveal, "reveal", false, "show secret values")
	flags.BoolVar(&o.json, "json", false, "print JSON, with the notes")
	flags.BoolVar(&o.noLocal, "no-local", false, "leave out the project's own profile")
	flags.BoolVar(&o.trust, "trust", false, "approve what the project's profile asks for, for this time")
	completeFlag(cmd, "type", target.Names)
	return cmd
}

func runMCPRender(ctx context.Context, a *App, o mcpRenderOptions) error {
	var form mcpconf.Form
	if o.to != "" {
		var err error
		if form, err = lookupForm("--type", o.to); err != nil {
			return err
		}
	}
	project, err := a.projectIfAny()
	if err != nil {
		return err
	}
	resolved, _, err := a.resolve(ctx, project, o.launchOptions)
	if err != nil {
		return err
	}
	p := resolved.Profile
	notes := resolved.Notes
	if form == "" {
		row, _ := target.Lookup(p.AgentType)
		form = row.Form
		if row.NoMCP != "" {
			notes = append(notes, mcpconf.Note{Text: row.NoMCP})
		}
	}
	servers, err := maskServers(p.Servers, shownValues(resolved, o.reveal), o.reveal)
	if err != nil {
		return err
	}
	out, err := mcpconf.Render(form, servers, mcpconf.RenderOptions{})
	if err != nil {
		return err
	}
	notes = append(notes, out.Notes...)
	if o.json {
		return a.IO.JSON(mcpRenderResult{
			Agent: p.Name, Form: form, Servers: orEmpty(out.Servers), Notes: orEmpty(notes), Content: string(out.Data),
		})
	}
	a.printNotes(notes)
	return a.IO.Print(out.Data)
}
