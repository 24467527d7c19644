package session_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	imageapi "github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/volume"

	"heretic/profile"
	"heretic/runner"
	"heretic/runner/runnertest"
	"heretic/session"
)

// withHostPrograms gives the container this machine's own git and shell.
func withHostPrograms(t *testing.T, req *session.Request) {
	t.Helper()
	for _, dir := range []string{"/usr", "/bin", "/lib", "/lib64"} {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			continue
		}
		req.Profile.Volumes = append(req.Profile.Volumes, profile.Volume{Source: real, Target: dir, ReadOnly: true})
	}
	req.Profile.Entrypoint = []string{"/bin/sh", "-c"}
	req.Profile.Env = append(req.Profile.Env,
		profile.EnvVar{Name: "PATH", Value: "/usr/bin:/bin"},
		profile.EnvVar{Name: "GIT_AUTHOR_NAME", Value: "a"}, profile.EnvVar{Name: "GIT_AUTHOR_EMAIL", Value: "a@example.com"},
		profile.EnvVar{Name: "GIT_COMMITTER_NAME", Value: "a"}, profile.EnvVar{Name: "GIT_COMMITTER_EMAIL", Value: "a@example.com"},
		profile.EnvVar{Name: "GIT_CONFIG_COUNT", Value: "1"},
		profile.EnvVar{Name: "GIT_CONFIG_KEY_0", Value: "test.mine"}, profile.EnvVar{Name: "GIT_CONFIG_VALUE_0", Value: "kept"})
}

// git runs git on the host.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (r *rig) initGit() {
	r.t.Helper()
	r.write("a", "a\n")
	git(r.t, r.project, "init", "-q")
	git(r.t, r.project, "add", "a")
	git(r.t, r.project, "commit", "-qm", "first")
}

// shell runs a script of the host's programs in the container.
func (r *rig) shell(req session.Request, script string) outcome {
	r.t.Helper()
	withHostPrograms(r.t, &req)
	req.Profile.Command = []string{"set -e; " + script}
	return r.launch(req)
}

func TestEngineGitNeverTakesTheMountedFile(t *testing.T) {
	r := newRig(t, "agent")
	r.initGit()
	r.write(".git/info/exclude", "")
	r.write("ignored-by-user", "x")
	r.write("my-ignores", "/ignored-by-user\n")
	git(t, r.project, "config", "core.excludesFile", "my-ignores")
	if err := exec.Command("chown", "-R", "1000:1000", r.project).Run(); err != nil {
		t.Fatal(err)
	}
	o := r.shell(r.request("claude", "c"), `
		echo b >b; git config --get test.mine
		git add -A; git commit -qm second; git stash -qu; git status --porcelain; git gc -q
		git ls-files`)
	if want := "kept\na\nb\nmy-ignores\n"; o.ExitCode != 0 || o.out != want || len(o.warnings) > 0 {
		t.Errorf("exit %d, %v %v\n%s%s", o.ExitCode, o.err, o.warnings, o.out, o.log)
	}
	if s := git(t, r.project, "-c", "safe.directory=*", "status", "--porcelain"); s != "" {
		t.Errorf("status on the host:\n%s", s)
	}
	if s := git(t, r.project, "-c", "safe.directory=*", "show", "--stat", "--format=", "HEAD"); strings.Contains(s, ".mcp.json") {
		t.Errorf("committed:\n%s", s)
	}
}

func TestEngineHooksAndRepositoryCannotBeSwapped(t *testing.T) {
	r := newRig(t, "")
	r.initGit()
	attack := `
		! echo x >.git/hooks/post-checkout
		! mv .git/hooks .git/h
		! mv .git .g
		! rm -rf .git/hooks
		! mv .heretic .h
		! mkdir .heretic/cli
		! echo x >.heretic/temp/x
		ls .heretic/temp
		echo done`
	if o := r.shell(r.request("claude", "c"), attack); o.ExitCode != 0 || o.out != "done\n" {
		t.Errorf("exit %d, %v\n%s%s", o.ExitCode, o.err, o.out, o.log)
	}
	if _, err := os.Stat(filepath.Join(r.project, ".git/hooks/post-checkout")); err == nil {
		t.Error("a hook was written")
	}
	req := r.request("claude", "c")
	req.Profile.Extra.ProtectHooks = false
	o := r.shell(req, `echo x >.git/hooks/post-checkout`)
	if o.ExitCode != 0 || len(o.warnings) != 1 || !strings.Contains(o.warnings[0].Text, "post-checkout") {
		t.Errorf("unprotected: exit %d, %v %v\n%s", o.ExitCode, o.err, o.warnings, o.log)
	}
	os.RemoveAll(filepath.Join(r.project, ".git/hooks"))
	if o := r.shell(r.request("claude", "c"), `! echo x >.git/hooks/post-checkout`); o.ExitCode != 0 || len(o.warnings) > 0 {
		t.Errorf("no hooks folder: exit %d, %v %v\n%s", o.ExitCode, o.err, o.warnings, o.log)
	}
	r.gone(".git/hooks")
}

func TestEngineGitConfigIsWatched(t *testing.T) {
	r := newRig(t, "")
	r.initGit()
	o := r.shell(r.request("claude", "c"), `git config core.fsmonitor 'sh -c evil'; git config branch.x.remote origin`)
	if o.ExitCode != 0 || len(o.warnings) != 1 || !strings.Contains(o.warnings[0].Text, "core.fsmonitor") {
		t.Errorf("exit %d, %v, %v\n%s", o.ExitCode, o.err, o.warnings, o.log)
	}
	// What the user does between sessions is the user's.
	git(t, r.project, "config", "core.pager", "less")
	if o := r.shell(r.request("claude", "c"), `true`); o.ExitCode != 0 || len(o.warnings) != 0 {
		t.Errorf("exit %d, %v, %v\n%s", o.ExitCode, o.err, o.warnings, o.log)
	}
	// What an agent does while no heretic is attached is told by the next.
	req := r.request("claude", "c")
	req.Detach = true
	if o := r.shell(req, `git config core.editor evil; sleep 60`); o.err != nil {
		t.Fatal(o.err)
	}
	for range 600 {
		if strings.Contains(r.read(".git/config"), "editor = evil") {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	done, err := session.Repair(t.Context(), r.eng, r.project)
	if err != nil || len(done.Git) != 1 || done.Git[0].Key != "core.editor" {
		t.Errorf("%+v, %v", done, err)
	}
	if done, err = session.Repair(t.Context(), r.eng, r.project); err != nil || len(done.Git) != 0 {
		t.Errorf("told twice: %+v, %v", done, err)
	}
}

func TestEngineLinkedWorktree(t *testing.T) {
	r := newRig(t, "")
	r.initGit()
	main := r.project
	base := filepath.Dir(main)
	git(t, main, "worktree", "add", "-q", filepath.Join(base, "one"))
	git(t, main, "worktree", "add", "-q", filepath.Join(base, "two"))
	r.project = filepath.Join(base, "one")
	o := r.shell(r.request("claude", "c"), `
		echo b >b; git add -A; git commit -qm second; git status --porcelain
		! git worktree prune
		! echo x >.git
		! echo x >`+main+`/.git/hooks/post-checkout
		cd `+r.project+`; ls -A .heretic/temp; git status --porcelain; git log --format=%s`)
	if want := "second\nfirst\n"; o.ExitCode != 0 || o.out != want {
		t.Errorf("exit %d, %v %v\n%s%s", o.ExitCode, o.err, o.warnings, o.out, o.log)
	}
	if s := git(t, main, "worktree", "list"); len(strings.Split(strings.TrimSpace(s), "\n")) != 3 || strings.Contains(s, "prunable") {
		t.Errorf("worktrees:\n%s", s)
	}
	if s := git(t, r.project, "status", "--porcelain"); s != "" {
		t.Errorf("status on the host:\n%s", s)
	}
}

func TestEngineWorktreeWithoutHooks(t *testing.T) {
	r := newRig(t, "")
	r.initGit()
	main := r.project
	r.project = filepath.Join(filepath.Dir(main), "one")
	git(t, main, "worktree", "add", "-q", r.project)
	hooks := filepath.Join(main, ".git/hooks")
	if err := os.RemoveAll(hooks); err != nil {
		t.Fatal(err)
	}
	o := r.shell(r.request("claude", "c"), `! echo x >`+hooks+`/post-checkout; ! rmdir `+hooks)
	if entries, err := os.ReadDir(hooks); o.ExitCode != 0 || len(o.warnings) > 0 || err != nil || len(entries) > 0 {
		t.Errorf("exit %d, %v %v, %v, %v\n%s", o.ExitCode, o.err, o.warnings, entries, err, o.log)
	}
}

// Worktrees of the project that are elsewhere on the host stay, and what git on
// the host obeys in submodules is watched.
func TestEngineSubmodulesAndWorktrees(t *testing.T) {
	r := newRig(t, "")
	r.initGit()
	git(t, r.project, "worktree", "add", "-q", filepath.Join(filepath.Dir(r.project), "elsewhere"))
	git(t, r.project, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", r.project+"/.git", "sub")
	o := r.shell(r.request("claude", "c"), `
		! git worktree prune
		git worktree add -q /workspace/in; cd /workspace/in; echo c >c; git add c; git commit -qm c
		cd /workspace/sub; echo b >b; git add b; git commit -qm b
		! echo x >/workspace/.git/modules/sub/hooks/post-checkout
		git config core.fsmonitor evil
		echo 'gitdir: ../evil' >.git`)
	if o.ExitCode != 0 || o.err != nil {
		t.Fatalf("exit %d, %v %v\n%s%s", o.ExitCode, o.err, o.warnings, o.out, o.log)
	}
	var told strings.Builder
	for _, w := range o.warnings {
		told.WriteString(w.Text + "\n")
	}
	for _, want := range []string{r.project + "/sub/.git: it changed", r.project + "/.git/modules/sub/config: core.fsmonitor appeared"} {
		if !strings.Contains(told.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, told.String())
		}
	}
	if s := git(t, r.project, "worktree", "list"); !strings.Contains(s, "elsewhere") {
		t.Errorf("worktrees:\n%s", s)
	}
}

func TestEngineSecretsAreFiles(t *testing.T) {
	r := newRig(t, "agent")
	for _, readOnly := range []bool{false, true} {
		req := r.request("generic", "g", "run", "cat", "/run/secrets/TOKEN", "--", "stat", "/run/secrets/TOKEN", "--", "env")
		req.Profile.SecretFiles = []profile.SecretFile{{Name: "TOKEN", Value: "marker-1234"}}
		req.Profile.Extra.ReadOnly = readOnly
		o := r.launch(req)
		if o.ExitCode != 0 || !strings.HasPrefix(o.out, "marker-1234file 0400 1000 1000 11 /run/secrets/TOKEN\n") || strings.Count(o.out, "marker") != 1 {
			t.Errorf("read-only %v: exit %d, %v\n%s%s", readOnly, o.ExitCode, o.err, o.out, o.log)
		}
		if out, _ := exec.Command("grep", "-r", "marker-1234", r.project).Output(); len(out) > 0 {
			t.Errorf("on the host: %s", out)
		}
		if data, err := o.Plan.MarshalJSON(); err != nil || strings.Contains(string(data), "marker") || !slices.Contains(o.Plan.View().Secrets, "TOKEN") {
			t.Errorf("the plan shows %s, %v", data, err)
		}
	}
}

// A volume in memory is filled through the engine, goes with the container, and
// is in no image of it.
func TestEngineSecretsAreInMemory(t *testing.T) {
	r := newRig(t, "agent")
	docker := runnertest.Client(t)
	volumes := func() (names []string) {
		label := filters.Arg("label", session.LabelProject+"="+r.project)
		list, err := docker.VolumeList(t.Context(), volume.ListOptions{Filters: filters.NewArgs(label)})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range list.Volumes {
			names = append(names, v.Name)
		}
		return names
	}
	req := r.request("generic", "g", "run", "mounts", "--", "sleep", "60")
	req.Profile.SecretFiles = []profile.SecretFile{{Name: "ONE", Value: "marker-1234"}, {Name: "TWO", Value: "marker-5678"}}
	req.Detach = true
	if o := r.launch(req); o.err != nil || len(o.warnings) > 0 {
		t.Fatal(o.err, o.warnings)
	}
	list, err := r.eng.List(t.Context(), map[string]string{session.LabelProject: r.project}, true)
	if err != nil || len(list) != 1 {
		t.Fatalf("want the session's container and no helper: %v, %v", list, err)
	}
	id := list[0].ID
	info, err := r.eng.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if info.Name == "Docker" { // Podman keeps such volumes on its disk
		var out strings.Builder
		if err := r.eng.Logs(t.Context(), id, runner.LogsOptions{Out: &out, Err: &out}); err != nil || !strings.Contains(out.String(), "/run/secrets tmpfs") {
			t.Errorf("mounts: %v\n%s", err, out.String())
		}
	}
	image, err := docker.ContainerCommit(t.Context(), id, container.CommitOptions{Config: &container.Config{}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := docker.ImageRemove(context.Background(), image.ID, imageapi.RemoveOptions{Force: true}); err != nil {
			t.Error(err)
		}
	}()
	layers, err := docker.ImageSave(t.Context(), []string{image.ID})
	if err != nil {
		t.Fatal(err)
	}
	defer layers.Close()
	if data, err := io.ReadAll(layers); err != nil || bytes.Contains(data, []byte("marker-")) {
		t.Errorf("the committed image has the secrets (%v)", err)
	}
	if err := r.eng.Remove(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	req.Detach = false
	req.Profile.Command, req.Profile.Entrypoint = nil, []string{"/no-such-program"}
	off := false
	req.Profile.Extra.Init = &off
	if o := r.launch(req); o.ExitCode != 127 || len(o.warnings) > 0 {
		t.Errorf("exit %d, %v, %v", o.ExitCode, o.err, o.warnings)
	}
	if left := volumes(); len(left) > 0 {
		t.Errorf("volumes are left: %v", left)
	}
}

// A launch that is killed between its removals leaves the volume of its
// secrets, with nothing in it.
func TestEngineLeftVolumeIsPruned(t *testing.T) {
	for name, inUse := range map[string]bool{"a project that was used": true, "a project that was cleaned by hand": false} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "")
			docker := runnertest.Client(t)
			labels := map[string]string{session.LabelManaged: "true", session.LabelProject: r.project}
			made, err := docker.VolumeCreate(t.Context(), volume.CreateOptions{Labels: labels})
			if err != nil {
				t.Fatal(err)
			}
			if inUse {
				r.ok(r.request("generic", "g", "exit", "0"))
			}
			if _, err := session.Prune(t.Context(), r.eng, r.project, session.PruneOptions{DryRun: true}); err != nil {
				t.Fatal(err)
			}
			if _, err := docker.VolumeInspect(t.Context(), made.Name); err != nil {
				t.Errorf("after a dry run: %v", err)
			}
			if _, err := session.Prune(t.Context(), r.eng, r.project, session.PruneOptions{}); err != nil {
				t.Fatal(err)
			}
			if _, err := docker.VolumeInspect(t.Context(), made.Name); !errdefs.IsNotFound(err) {
				t.Errorf("after prune: %v", err)
			}
		})
	}
}

// The table of docs/security.md is of a full image; this pins what it rests on.
func TestEngineHardened(t *testing.T) {
	r := newRig(t, "root")
	req := r.request("generic", "g")
	req.Profile.Extra.Hardened = true
	withHostPrograms(t, &req)
	req.Profile.Command = []string{`set -e
		grep NoNewPrivs /proc/self/status; grep CapEff /proc/self/status
		cd /workspace; git init -q --bare remote; git init -q work; cd work
		echo a >a; git add a; git commit -qm a; git push -q ../remote HEAD:main
		touch f; chown 1000:1000 f; chmod 4755 f
		setpriv --reuid 1000 --regid 1000 --clear-groups sh -c 'kill $$ & wait' || true
		! mknod n c 1 3 2>/dev/null; ! chroot / /bin/true 2>/dev/null
		echo done`}
	if o := r.launch(req); o.ExitCode != 0 || o.out != "NoNewPrivs:\t1\nCapEff:\t00000000000000eb\ndone\n" {
		t.Errorf("exit %d, %v\n%s%s", o.ExitCode, o.err, o.out, o.log)
	}
}
