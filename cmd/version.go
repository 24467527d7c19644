package cmd

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the linker for releases.
var version string

type versionInfo struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

// buildInfo is what the linker or, without it, the Go toolchain recorded.
func buildInfo() versionInfo {
	v := versionInfo{Version: version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		if v.Version == "" {
			v.Version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				v.Commit = s.Value
			}
		}
	}
	if v.Version == "" || v.Version == "(devel)" {
		v.Version = "devel"
	}
	return v
}

func newVersion(a *App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:                   "version [--json]",
		Args:                  takes(nil),
		DisableFlagsInUseLine: true,
		RunE: func(*cobra.Command, []string) error {
			v := buildInfo()
			if asJSON {
				return a.IO.JSON(v)
			}
			_, err := fmt.Fprintf(a.IO.Out, "heretic %s (%s, %s/%s)\n", v.Version, v.Go, v.OS, v.Arch)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
