//go:build unix

package gitguard

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestDisguised exchanges what is looked at for what git reads all the same.
func TestDisguised(t *testing.T) {
	original := withSubmodules(t)
	git(t, original, "worktree", "add", "-q", filepath.Join(filepath.Dir(original), "tree"))
	evil := "[core]\n\tfsmonitor = evil\n"
	for name, attack := range map[string]func(dir string) (changed string){
		"a link": func(dir string) string {
			write(t, filepath.Join(dir, "evil"), evil)
			config := filepath.Join(dir, ".git/config")
			if err := errors.Join(os.Remove(config), os.Symlink("../evil", config)); err != nil {
				t.Fatal(err)
			}
			return ".git/config"
		},
		"much before it": func(dir string) string {
			write(t, filepath.Join(dir, ".git/config"), strings.Repeat("#\n", maxFile/2)+evil)
			return ".git/config"
		},
		"a FIFO": func(dir string) string {
			config := filepath.Join(dir, ".git/config")
			if err := errors.Join(os.Remove(config), unix.Mkfifo(config, 0o644)); err != nil {
				t.Fatal(err)
			}
			return ".git/config"
		},
		"a submodule's .git": func(dir string) string {
			write(t, filepath.Join(dir, "sub/.git"), "gitdir: ../evil\n")
			return "sub/.git"
		},
		"a submodule's .git, with a split index": func(dir string) string {
			git(t, dir, "update-index", "--split-index")
			write(t, filepath.Join(dir, "sub/.git"), "gitdir: ../evil\n")
			return "sub/.git"
		},
		"a link for the index": func(dir string) string {
			index := filepath.Join(dir, ".git/index")
			if err := errors.Join(os.Rename(index, filepath.Join(dir, "evil")), os.Symlink("../evil", index)); err != nil {
				t.Fatal(err)
			}
			return ".git/index"
		},
		"an index of any size": func(dir string) string {
			if err := os.Truncate(filepath.Join(dir, ".git/index"), maxIndex+1); err != nil {
				t.Fatal(err)
			}
			return ".git/index"
		},
		"a submodule of a submodule": func(dir string) string {
			write(t, filepath.Join(dir, "sub/deep/.git"), "gitdir: ../../evil\n")
			return "sub/deep/.git"
		},
		"a submodule's .git as a folder": func(dir string) string {
			if err := os.Remove(filepath.Join(dir, "sub/.git")); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, "sub/.git/config"), evil)
			return "sub/.git"
		},
		"a submodule's configuration": func(dir string) string {
			git(t, filepath.Join(dir, "sub"), "config", "core.fsmonitor", "evil")
			return ".git/modules/sub/config"
		},
		"a submodule's hook": func(dir string) string {
			write(t, filepath.Join(dir, ".git/modules/sub/hooks/post-checkout"), "evil")
			return ".git/modules/sub/hooks/post-checkout"
		},
		"a link for the hooks": func(dir string) string {
			write(t, filepath.Join(dir, "evil/post-checkout"), "evil")
			hooks := filepath.Join(dir, ".git/hooks")
			if err := errors.Join(os.RemoveAll(hooks), os.Symlink("../evil", hooks)); err != nil {
				t.Fatal(err)
			}
			return ".git/hooks"
		},
		"a link for a submodule's repository": func(dir string) string {
			sub := filepath.Join(dir, ".git/modules/sub")
			if err := errors.Join(os.Rename(sub, filepath.Join(dir, "evil")), os.Symlink("../../evil", sub)); err != nil {
				t.Fatal(err)
			}
			return ".git/modules/sub"
		},
		"a link for all repositories of submodules": func(dir string) string {
			all := filepath.Join(dir, ".git/modules")
			if err := errors.Join(os.Rename(all, filepath.Join(dir, "evil")), os.Symlink("../evil", all)); err != nil {
				t.Fatal(err)
			}
			return ".git/modules"
		},
		"a submodule's repository elsewhere": func(dir string) string {
			sub := filepath.Join(dir, ".git/modules/sub")
			if err := errors.Join(os.RemoveAll(filepath.Join(sub, "objects")), os.RemoveAll(filepath.Join(sub, "refs"))); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(sub, "commondir"), "../../../evil")
			return ".git/modules/sub/commondir"
		},
		"a submodule behind a crowd": func(dir string) string {
			for i := range maxRepos {
				write(t, filepath.Join(dir, fmt.Sprintf(".git/modules/a%d/HEAD", i)), "")
			}
			git(t, filepath.Join(dir, "sub"), "config", "core.fsmonitor", "evil")
			return ".git/modules"
		},
		"a worktree's configuration": func(dir string) string {
			write(t, filepath.Join(dir, ".git/worktrees/tree/config.worktree"), evil)
			return ".git/worktrees/tree/config.worktree"
		},
		"a worktree's repository": func(dir string) string {
			write(t, filepath.Join(dir, ".git/worktrees/tree/commondir"), "../../../evil")
			return ".git/worktrees/tree/commondir"
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(dir, os.DirFS(original)); err != nil {
				t.Fatal(err)
			}
			before, err := Take(dir)
			if err != nil {
				t.Fatal(err)
			}
			stamp, changed := stamps(dir), attack(dir)
			after, err := Take(dir)
			if err != nil {
				t.Fatal(err)
			}
			found := before.Changes(after)
			if !slices.ContainsFunc(found, func(f Finding) bool { return f.File == filepath.Join(dir, changed) }) {
				t.Errorf("not reported: %v", found)
			}
			if stamps(dir) == stamp {
				t.Error("the watch would not look")
			}
		})
	}
}

// withSubmodules makes a repository with a submodule, sub, that has one too.
func withSubmodules(t *testing.T) string {
	t.Helper()
	dir, sub := repo(t), repo(t)
	submodule := func(dir string, args ...string) {
		git(t, dir, append([]string{"-c", "protocol.file.allow=always", "submodule", "--quiet"}, args...)...)
	}
	submodule(sub, "add", repo(t), "deep")
	git(t, sub, "commit", "-qm", "deep")
	submodule(dir, "add", sub, "sub")
	submodule(dir, "update", "--init", "--recursive")
	git(t, dir, "commit", "-qm", "sub")
	return dir
}

// The repositories of a linked worktree's submodules are in its own entry.
func TestSubmodulesOfAWorktree(t *testing.T) {
	dir := withSubmodules(t)
	tree := filepath.Join(filepath.Dir(dir), "tree")
	git(t, dir, "worktree", "add", "-q", tree)
	git(t, tree, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
	repository := filepath.Join(dir, ".git/worktrees/tree/modules/sub")
	l, err := Inspect(tree)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(l.Hooks, filepath.Join(repository, "hooks")) {
		t.Errorf("hooks %v", l.Hooks)
	}
	before, err := Take(tree)
	if err != nil {
		t.Fatal(err)
	}
	git(t, filepath.Join(tree, "sub"), "config", "core.fsmonitor", "evil")
	after, err := Take(tree)
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(repository, "config")
	if found := before.Changes(after); len(found) != 1 || found[0].File != config {
		t.Errorf("found %v, want a change of %s", found, config)
	}
}
