package cmd

import "github.com/spf13/cobra"

func newImage(a *App) *cobra.Command {
	return group("image",
		`Build images that have agents in them, with node, git, ripgrep and MCP servers,
for a user of your own id. A profile without an image, or with 'image: build',
uses the one built last for its agent type.`,
		newImageBuild(a), newImageList(a), newImagePrune(a))
}
