package gitguard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"heretic/session/internal/regular"
)

// Snapshot holds, for each file that matters, what in it gives power over the
// host. It marshals to JSON.
type Snapshot map[string]map[string][]string

// Finding is something that gives power over the host and has changed.
type Finding struct {
	File string   `json:"file"`
	Key  string   `json:"key,omitempty"` // empty: the file itself
	Old  []string `json:"old,omitempty"`
	New  []string `json:"new,omitempty"`
	// Restore is the shell command that brings the old state back.
	Restore string `json:"restore"`
}

// String says it in one line.
func (f Finding) String() string {
	what := f.Key
	if what == "" {
		what = "it"
	}
	if len(f.Old) == 0 {
		return fmt.Sprintf("%s: %s appeared (%s) and can make git on this host run a program; to undo: %s", f.File, what, quoted(f.New), f.Restore)
	}
	return fmt.Sprintf("%s: %s changed from %s to %s and can make git on this host run a program; to undo: %s", f.File, what, quoted(f.Old), quoted(f.New), f.Restore)
}

func quoted(list []string) string {
	all := make([]string, len(list))
	for i, s := range list {
		all[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(all, ", ")
}

// Take looks at the repository of a project.
func Take(project string) (Snapshot, error) {
	l, err := Inspect(project)
	if err != nil || l.Dir == "" {
		return Snapshot{}, err
	}
	s := Snapshot{}
	for _, repo := range l.repositories() {
		s.config(filepath.Join(repo, "config"))
		s.config(filepath.Join(repo, "config.worktree"))
		// It would make git take its configuration from elsewhere.
		s.file(filepath.Join(repo, "commondir"))
		s.link(filepath.Join(repo, "hooks"))
	}
	for _, link := range l.modules.links {
		s.link(link)
	}
	if l.modules.more {
		s[filepath.Join(l.Dir, "modules")] = map[string][]string{"": {"more repositories than can be looked at"}}
	}
	for _, err := range l.unread {
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			s.other(at.Path, err)
		}
	}
	// Each worktree may have its own, and says where the repository is.
	own, err := filepath.Glob(filepath.Join(globQuote(l.Dir), "worktrees", "*"))
	if err != nil {
		return nil, err
	}
	for _, w := range own {
		s.config(filepath.Join(w, "config.worktree"))
		s.file(filepath.Join(w, "commondir"))
	}
	for _, dot := range l.Submodules {
		s.file(dot)
	}
	for _, dir := range l.Hooks {
		s.hooks(dir)
	}
	return s, nil
}

func (s Snapshot) config(file string) {
	data, err := readFile(file)
	if err != nil {
		s.other(file, err)
		return
	}
	for _, e := range ParseConfig(data) {
		if RunsProgram(e) {
			if s[file] == nil {
				s[file] = map[string][]string{}
			}
			s[file][e.Key()] = append(s[file][e.Key()], e.Value)
		}
	}
}

func (s Snapshot) file(file string) {
	data, err := readFile(file)
	if err != nil {
		s.other(file, err)
		return
	}
	s[file] = map[string][]string{"": {strings.TrimSpace(string(data))}}
}

// other enters what stands in the place of a file and cannot be read as one:
// git would follow a link, and read on where this package stops.
func (s Snapshot) other(file string, err error) {
	what := ""
	fi, statErr := os.Lstat(file)
	switch {
	case statErr != nil:
		return // it is not there
	case errors.Is(err, regular.ErrTooLarge):
		what = "more than can be looked at"
	case fi.Mode()&fs.ModeSymlink != 0:
		to, _ := os.Readlink(file) // gone meanwhile: a link all the same
		what = "link to " + to
	default:
		what = "not a file: " + fi.Mode().Type().String()
	}
	s[file] = map[string][]string{"": {what}}
}

// link enters a link that stands in the place of a folder, which git follows.
func (s Snapshot) link(name string) {
	if to, err := os.Readlink(name); err == nil {
		s[name] = map[string][]string{"": {"link to " + to}}
	}
}

// hooks enters the hooks that git would run, by a hash of what they do.
func (s Snapshot) hooks(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".sample") || e.IsDir() {
			continue
		}
		file := filepath.Join(dir, e.Name())
		id := e.Type().String()
		if data, err := readFile(file); err == nil {
			sum := sha256.Sum256(data)
			id = "sha256:" + hex.EncodeToString(sum[:8])
		} else if to, err := os.Readlink(file); err == nil {
			id = "link to " + to
		}
		s[file] = map[string][]string{"": {id}}
	}
}

// globQuote makes a path stand for itself in a pattern.
func globQuote(path string) string {
	if filepath.Separator != '/' {
		return path
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// Changes returns what now has and s had not, or otherwise. What merely went
// away makes git run nothing.
func (s Snapshot) Changes(now Snapshot) []Finding {
	var found []Finding
	for _, file := range slices.Sorted(maps.Keys(now)) {
		for _, key := range slices.Sorted(maps.Keys(now[file])) {
			old, cur := s[file][key], now[file][key]
			if !slices.Equal(old, cur) {
				found = append(found, Finding{File: file, Key: key, Old: old, New: cur, Restore: restore(file, key, old)})
			}
		}
	}
	return found
}

// restore is the shell command that sets a key back. It names the file, so
// that git reads no other configuration for it.
func restore(file, key string, old []string) string {
	if key == "" {
		if len(old) > 0 || strings.HasPrefix(filepath.Base(file), "config") {
			return "look at " + shellQuote(file) + " before using git here"
		}
		return "rm " + shellQuote(file)
	}
	git := "git config -f " + shellQuote(file)
	if len(old) == 1 {
		return git + " --replace-all " + shellQuote(key) + " " + shellQuote(old[0])
	}
	cmds := []string{git + " --unset-all " + shellQuote(key)}
	for _, v := range old {
		cmds = append(cmds, git+" --add "+shellQuote(key)+" "+shellQuote(v))
	}
	return strings.Join(cmds, " && ")
}

func shellQuote(s string) string {
	safe := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@,", r))
	}
	if s != "" && strings.IndexFunc(s, safe) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Watch reports changes since a snapshot until ctx ends, each once, and
// returns the last state that it saw.
//
// It looks less often than told where that would take more than a twentieth of
// the time.
func Watch(ctx context.Context, project string, s Snapshot, every time.Duration, report func(Finding)) Snapshot {
	timer := time.NewTimer(every)
	defer timer.Stop()
	stamp := "" // so that the first look compares with s
	for {
		select {
		case <-ctx.Done():
			return s
		case <-timer.C:
		}
		begin := time.Now()
		seen := stamps(project)
		timer.Reset(max(every, 20*time.Since(begin)))
		if seen == stamp {
			continue
		}
		now, err := Take(project)
		if err != nil {
			continue // a file in the middle of being replaced: next time
		}
		stamp = seen
		for _, f := range s.Changes(now) {
			report(f)
		}
		s = now
	}
}

// stamps changes when one of the files that matter does; it costs a few calls
// of stat.
func stamps(project string) string {
	var b strings.Builder
	l, err := Inspect(project)
	if err != nil || l.Dir == "" {
		return ""
	}
	files := slices.Concat(l.Submodules, l.modules.links, []string{l.index(), l.Dir + "/worktrees", l.Dir + "/modules"})
	for _, repo := range l.repositories() {
		files = append(files, repo+"/config", repo+"/config.worktree", repo+"/commondir", repo+"/hooks")
	}
	own, err := filepath.Glob(globQuote(l.Dir) + "/worktrees/*")
	if err != nil {
		return ""
	}
	for _, w := range own {
		files = append(files, w+"/config.worktree", w+"/commondir")
	}
	for _, f := range files {
		if fi, err := os.Lstat(f); err == nil {
			fmt.Fprintln(&b, f, fi.Size(), fi.ModTime().UnixNano(), fi.Mode()&fs.ModeType)
		}
	}
	return b.String()
}
