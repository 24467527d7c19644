package profile

import (
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
)

func executable(fs.FileInfo) bool { return true }

// interpreter puts what runs the script in front of it.
func interpreter(argv []string) []string {
	switch strings.ToLower(filepath.Ext(argv[0])) {
	case ".sh":
		return append([]string{"bash"}, argv...)
	case ".ps1":
		return append([]string{"powershell", "-NoProfile", "-ExecutionPolicy", "Bypass", "-File"}, argv...)
	case ".cmd", ".bat":
		return append([]string{"cmd.exe", "/c"}, argv...)
	}
	return argv
}

func ownGroup(*exec.Cmd) {}
