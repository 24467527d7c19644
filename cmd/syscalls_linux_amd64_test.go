package cmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestHelpOpensNothing traces the system calls of help and fails for each file
// that is opened and each socket that is made. What the Go runtime itself
// looks at before main is allowed. It waits for any child of the process, so
// it must not run in parallel with other tests.
func TestHelpOpensNothing(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "heretic")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "heretic/cmd/heretic")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as released: no dynamic loader
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for _, args := range [][]string{{"--help"}, {"help", "exit-codes"}, {"version"}, {"version", "--help"}} {
		for _, call := range trace(t, binary, args...) {
			t.Errorf("heretic %s: %s", strings.Join(args, " "), call)
		}
	}
	calls := trace(t, binary, "--log-file", filepath.Join(t.TempDir(), "seen"), "version")
	if len(calls) != 1 || !strings.HasSuffix(calls[0], "/seen") {
		t.Errorf("the tracer saw %q, want the log file", calls)
	}
}

// runtimeReads are prefixes of what the Go runtime reads when it starts.
var runtimeReads = []string{"/sys/", "/proc/", "/etc/localtime", "/dev/null"}

// trace runs a program and returns the files and sockets that it opened.
func trace(t *testing.T, binary string, args ...string) []string {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	process, err := os.StartProcess(binary, append([]string{binary}, args...), &os.ProcAttr{
		Files: []*os.File{null, null, null},
		Env:   []string{"HOME=" + t.TempDir(), "PATH=/usr/bin:/bin"},
		Sys:   &syscall.SysProcAttr{Ptrace: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	main := process.Pid
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(main, &status, 0, nil); err != nil {
		t.Fatal(err)
	}
	const options = syscall.PTRACE_O_TRACECLONE | syscall.PTRACE_O_TRACEFORK | syscall.PTRACE_O_TRACEVFORK | syscall.PTRACE_O_TRACESYSGOOD
	if err := syscall.PtraceSetOptions(main, options); err != nil {
		t.Fatal(err)
	}
	var calls []string
	entered := map[int]bool{}
	resume := func(pid, signal int) {
		if err := syscall.PtraceSyscall(pid, signal); err != nil && err != syscall.ESRCH {
			t.Fatal(err)
		}
	}
	resume(main, 0)
	for {
		pid, err := syscall.Wait4(-1, &status, syscall.WALL, nil)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case status.Exited() || status.Signaled():
			if pid == main {
				return calls
			}
			continue
		case status.StopSignal() == syscall.SIGTRAP|0x80:
			if entered[pid] = !entered[pid]; entered[pid] {
				if call := opens(t, pid); call != "" {
					calls = append(calls, call)
				}
			}
			resume(pid, 0)
		case status.StopSignal() == syscall.SIGTRAP || status.StopSignal() == syscall.SIGSTOP:
			resume(pid, 0)
		default:
			resume(pid, int(status.StopSignal()))
		}
	}
}

// opens describes the call that pid is about to make, if it opens something.
func opens(t *testing.T, pid int) string {
	t.Helper()
	var regs syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(pid, &regs); err != nil {
		return ""
	}
	var address uint64
	switch regs.Orig_rax {
	case syscall.SYS_SOCKET:
		return "makes a socket"
	case syscall.SYS_OPEN:
		address = regs.Rdi
	case syscall.SYS_OPENAT:
		address = regs.Rsi
	default:
		return ""
	}
	buffer := make([]byte, 256)
	n, err := syscall.PtracePeekData(pid, uintptr(address), buffer)
	if err != nil {
		t.Fatal(err)
	}
	path, _, _ := strings.Cut(string(buffer[:n]), "\x00")
	for _, prefix := range runtimeReads {
		if strings.HasPrefix(path, prefix) {
			return ""
		}
	}
	return "opens " + path
}
