//go:build unix

package profile

import (
	"io/fs"
	"os/exec"
	"syscall"
)

// drives tells whether paths of the host begin with a drive.
const drives = false

func executable(info fs.FileInfo) bool { return info.Mode().Perm()&0o111 != 0 }

// interpreter leaves the choice to the script's first line.
func interpreter(argv []string) []string { return argv }

// ownGroup makes the end of the time limit reach what the script started.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
