package cmd

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"heretic/cmd/internal/ui"
	"heretic/profile"
	"heretic/session"
)

// completionTime bounds what completion asks of the engine: a shell waits.
const completionTime = 2 * time.Second

// completeAgents completes the name of an agent.
func (a *App) completeAgents(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	project, err := a.projectIfAny()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	loader, err := a.Loader(project)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	entries, err := loader.Skim()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var words []string
	for _, e := range entries {
		words = appendCompletion(words, e.Name, e.Description)
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// appendCompletion leaves out a name that only somebody else can have made, for
// it would drive the terminal: those of heretic are plain.
func appendCompletion(words []string, name, description string) []string {
	if profile.CheckName("completed", name) != nil {
		return words
	}
	return append(words, cobra.CompletionWithDesc(name, ui.Clean(description)))
}

// completeSessionArgs completes the names of sessions that have a container.
func (a *App) completeSessionArgs(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
	defer cancel()
	project, err := a.findProject(true)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	engine, err := a.Engine(ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list, err := session.List(ctx, engine, project.Dir)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var words []string
	for _, s := range list {
		words = appendCompletion(words, s.Name, s.Agent+", "+s.Container.State)
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// completeSessions completes the flag --session.
func completeSessions(a *App, cmd *cobra.Command) {
	mustRegister(cmd.RegisterFlagCompletionFunc("session", a.completeSessionArgs))
}

// completeFlag completes the values of a flag from a list.
func completeFlag(cmd *cobra.Command, flag string, values func() []string) {
	mustRegister(cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return values(), cobra.ShellCompDirectiveNoFileComp
	}))
}

func mustRegister(err error) {
	if err != nil {
		panic(err) // the command has no such flag
	}
}
