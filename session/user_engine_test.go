//go:build unix

package session_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"heretic/runner"
	"heretic/runner/runnertest"
	"heretic/session"
)

// ordinaryUser is nobody on this machine and not the user of a test image.
const ordinaryUser = 4242

// TestEngineOrdinaryUser runs [TestEngineAsOrdinaryUser] as a user who can
// neither read what the container's user writes nor give files away.
func TestEngineOrdinaryUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Fatal("this test becomes another user, and so has to start as root")
	}
	image := runnertest.ImageAs(t, "agent")
	socket := strings.TrimPrefix(runnertest.Engine(t), "unix://")
	fi, err := os.Stat(socket)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "heretic-user-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	project, binary := filepath.Join(dir, "project"), filepath.Join(dir, "test")
	if err := errors.Join(os.Chmod(dir, 0o755), os.Mkdir(project, 0o755), os.Chown(project, ordinaryUser, ordinaryUser), copyFile(binary, os.Args[0])); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "-test.run=^TestEngineAsOrdinaryUser$", "-test.count=1")
	cmd.Dir = project
	cmd.Env = []string{"HERETIC_TEST_ENGINE=1", "DOCKER_HOST=unix://" + socket, "PATH=" + os.Getenv("PATH"), "TMPDIR=/tmp",
		"TEST_IMAGE=" + image, "TEST_PROJECT=" + project}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{
		Uid: ordinaryUser, Gid: ordinaryUser, Groups: []uint32{fi.Sys().(*syscall.Stat_t).Gid},
	}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

func TestEngineAsOrdinaryUser(t *testing.T) {
	project := os.Getenv("TEST_PROJECT")
	if project == "" {
		return // only within TestEngineOrdinaryUser
	}
	eng, err := runner.Connect(t.Context(), runner.ConnectOptions{Lookup: os.LookupEnv, Home: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer eng.Close()
	r := &rig{t: t, eng: eng, project: project, image: os.Getenv("TEST_IMAGE")}
	t.Cleanup(r.removeContainers)

	const settings = "/home/agent/.claude/settings.json"
	o := r.launch(r.request("claude", "c", "run", "stat", "/home/agent/.claude", settings, "--", "write", settings, `{"theme": "dark", "enabledMcpjsonServers": ["memory"]}`))
	if o.err != nil || o.ExitCode != 0 || !strings.HasPrefix(o.out, "dir 0700 1000 1000 4096 /home/agent/.claude\nfile 0600 1000 1000 ") {
		t.Fatalf("exit %d, %v\n%s%s", o.ExitCode, o.err, o.out, o.log)
	}
	if len(o.warnings) != 1 || !strings.Contains(o.warnings[0].Text, "heretic image build claude --uid 4242 --gid 4242") {
		t.Errorf("warnings %v", o.warnings)
	}
	if _, err := os.ReadFile(filepath.Join(project, ".heretic/temp/c/home/.claude/settings.json")); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("this test is worth nothing: %v", err)
	}
	req := r.request("claude", "c", "cat", settings)
	req.Profile.Servers[0].Name = "next"
	if o := r.launch(req); compact(o.out) != `{"theme":"dark","enabledMcpjsonServers":["next"]}` {
		t.Errorf("exit %d, %v\n%s%s", o.ExitCode, o.err, o.out, o.log)
	}
	r.gone(".mcp.json")

	done, err := session.Prune(t.Context(), eng, project, session.PruneOptions{Directories: true})
	if err != nil || len(done.Directories) != 1 {
		t.Errorf("%+v, %v", done, err)
	}
	r.gone(".heretic/temp/c")

	// A launch that fails takes its new home away again.
	req = r.request("claude", "fresh")
	req.Profile.Entrypoint = []string{"/nope"}
	if o := r.launch(req); o.ExitCode != 127 {
		t.Errorf("exit %d, %v", o.ExitCode, o.err)
	}
	r.gone(".heretic/temp/fresh")
}
