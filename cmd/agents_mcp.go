package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"heretic/mcpconf"
	"heretic/profile"
	"heretic/profile/yamledit"
)

type importOptions struct {
	agent, file, format string
	local, json         bool
}

// imported is the output of agents mcp --json.
type imported struct {
	Profile string `json:"profile"`
	mcpconf.Changes
	Hidden  []string       `json:"hidden,omitempty"` // global servers that the override hides
	Notes   []mcpconf.Note `json:"notes"`
	Written bool           `json:"written"`
}

func newAgentsMCP(a *App) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "mcp <agent> [--file <file>] [--local] [flags]",
		Short: "Import MCP servers into a profile",
		Long: `Import MCP servers into a profile, from whatever form another tool keeps them
in: --file names a file, else standard input is read when it is piped, else
$VISUAL or $EDITOR opens for a paste. A server of the same name is replaced, the
others stay. Comments and style of the profile are kept. No server is contacted.

With --local, the servers go to this project's override of the profile, which is
made if need be. An override with servers hides all servers of the global
profile.`,
		Example: `  heretic agents mcp claude --file ~/.cursor/mcp.json
  heretic agents mcp claude --local --file .vscode/mcp.json
  pbpaste | heretic agents mcp claude`,
		Args:                  takes([]string{"agent"}),
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     a.completeAgents,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.agent = args[0]
			return runAgentsMCP(cmd.Context(), a, o)
		},
	}
	cmd.Flags().StringVar(&o.file, "file", "", "the `file` to import; - is standard input")
	cmd.Flags().StringVar(&o.format, "format", "", "the `format` of the input (default: by name and content)")
	cmd.Flags().BoolVar(&o.local, "local", false, "import into this project's override")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	completeFlag(cmd, "format", mcpconf.Formats)
	return cmd
}

func runAgentsMCP(ctx context.Context, a *App, o importOptions) error {
	loader, file, err := a.importTarget(o)
	if err != nil {
		return err
	}
	old, err := inlineServers(loader, file)
	if err != nil {
		return err
	}
	set, err := a.importInput(ctx, o)
	if err != nil {
		return err
	}
	result := imported{Profile: file.path, Notes: orEmpty(set.Notes)}
	merged := mcpconf.Merge(old, set.Servers)
	result.Changes = mcpconf.Diff(old, merged)
	if len(result.Added)+len(result.Replaced) > 0 {
		data, err := yamledit.Servers(file.path, file.data, merged)
		if err != nil {
			return err
		}
		if err := a.writeProfile(loader, o.agent, file, data); err != nil {
			return err
		}
		result.Written = true
		if o.local {
			if result.Hidden, err = hiddenServers(loader, o.agent); err != nil {
				return err
			}
		}
	}
	return a.printImport(o.agent, result, o.json)
}

// importTarget finds the profile that is imported into.
func (a *App) importTarget(o importOptions) (profile.Loader, *profileFile, error) {
	if !o.local {
		loader, err := a.Loader("")
		if err != nil {
			return loader, nil, err
		}
		file, err := a.globalProfile(loader, o.agent)
		return loader, file, err
	}
	project, err := a.Project(false)
	if err != nil {
		return profile.Loader{}, nil, err
	}
	loader, err := a.Loader(project.Dir)
	if err != nil {
		return loader, nil, err
	}
	file, err := a.localProfile(loader, o.agent)
	return loader, file, err
}

// inlineServers are the servers in the text of a profile.
func inlineServers(loader profile.Loader, file *profileFile) ([]mcpconf.Server, error) {
	if _, err := loader.Validate(file.path, file.data, file.project != ""); err != nil {
		return nil, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(file.data, &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, nil
	}
	root := doc.Content[0]
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == "mcp" {
			set, err := mcpconf.ParseNode(file.path, root.Content[i+1])
			return set.Servers, err
		}
	}
	return nil, nil
}

// importInput reads the servers to import from the file, the pipe or the
// editor.
func (a *App) importInput(ctx context.Context, o importOptions) (mcpconf.Set, error) {
	if o.file == "" && a.IO.InTTY {
		return a.pasteServers(ctx, o)
	}
	path := o.file
	if path == "" {
		path = "-"
	}
	in, err := a.readMCP(path, o.format)
	if err != nil {
		return mcpconf.Set{}, err
	}
	return in.parse()
}

// pasteServers opens the editor for a paste. Nothing pasted is no servers.
func (a *App) pasteServers(ctx context.Context, o importOptions) (mcpconf.Set, error) {
	template := pasteTemplate(o.agent)
	var set mcpconf.Set
	_, err := a.edit(ctx, edition{
		suffix:  ".jsonc",
		comment: "//",
		text:    []byte(template),
		check: func(text []byte) (err error) {
			pasted := withoutTemplate(string(text), template)
			if strings.TrimSpace(pasted) == "" {
				set = mcpconf.Set{}
				return nil
			}
			set, err = mcpconf.Parse(mcpconf.Source{Name: "the paste", Format: o.format}, []byte(pasted))
			return err
		},
	})
	return set, err
}

func pasteTemplate(agent string) string {
	return fmt.Sprintf(`// Paste MCP servers below, in the form in which you have them: JSON of Claude,
// VS Code, Cursor and others, TOML of Codex, YAML of Goose; one server or many.
// Save and close the editor to import them into the profile %q.
// Nothing changes when you leave this file as it is, or empty.

`, agent)
}

// withoutTemplate takes the lines of the template out of text, and keeps the
// number of lines, so that errors name the line that the user sees.
func withoutTemplate(text, template string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, "\r\n")
		if bare != "" && strings.Contains(template, bare+"\n") && strings.HasPrefix(bare, "//") {
			b.WriteString(line[len(bare):])
			continue
		}
		b.WriteString(line)
	}
	return b.String()
}

// hiddenServers names the servers of the global profile that an override with
// servers hides.
func hiddenServers(loader profile.Loader, agent string) ([]string, error) {
	merged, err := loader.Merge(agent, profile.Options{NoLocal: true})
	if _, unknown := errors.AsType[*profile.UnknownAgentError](err); unknown {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	if v, ok := merged.Get("mcp_file"); ok {
		names = append(names, "those of "+v.Node.Value)
	}
	if v, ok := merged.Get("mcp"); ok {
		set, err := mcpconf.ParseNode(v.Layer.File, v.Node)
		if err != nil {
			return nil, err
		}
		for _, s := range set.Servers {
			names = append(names, s.Name)
		}
	}
	return names, nil
}

func (a *App) printImport(agent string, r imported, asJSON bool) error {
	if asJSON {
		return a.IO.JSON(r)
	}
	a.printNotes(r.Notes)
	var rows [][]string
	for _, change := range []struct {
		word  string
		names []string
	}{{"added", r.Added}, {"replaced", r.Replaced}, {"kept", r.Kept}} {
		for _, name := range change.names {
			rows = append(rows, []string{change.word, name})
		}
	}
	if err := a.IO.Table([]string{"CHANGE", "SERVER"}, rows); err != nil {
		return err
	}
	if !r.Written {
		a.IO.Say("Nothing to import; %s is as it was.", r.Profile)
		return nil
	}
	a.IO.Say("Wrote %s.", r.Profile)
	if len(r.Hidden) > 0 {
		a.IO.Note("this project no longer sees the servers of the global profile: " + strings.Join(r.Hidden, ", "))
	}
	a.IO.Hint("see what the agent gets: heretic mcp render " + agent + "; see whether it can work: heretic doctor")
	return nil
}
