package profile

import (
	"io/fs"
	"os/exec"
)

// drives tells whether paths of the host begin with a drive.
const drives = true

func executable(fs.FileInfo) bool { return true }

func interpreter(argv []string) []string { return byExtension(argv) }

func ownGroup(*exec.Cmd) {}
