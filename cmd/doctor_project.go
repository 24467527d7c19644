package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"

	"heretic/runner"
	"heretic/session"
)

// sessionFiles is where a project's sessions keep their files.
const sessionFiles = ".heretic/temp"

// project looks at the project, and returns "" where there is none.
func (x *examination) project(ctx context.Context, engine *runner.Engine) string {
	p, err := x.app.findProject(true)
	if err != nil {
		x.add(finding{Check: "project", Severity: note, Text: err.Error(), Fix: strings.Join(hints(err), "; ")})
		return ""
	}
	x.add(finding{Check: "project", Severity: good, Text: p.Dir})
	if engine != nil {
		x.leftovers(ctx, engine, p.Dir)
	}
	if _, err := os.Lstat(filepath.Join(p.Dir, sessionFiles)); err == nil {
		x.ignored(p.Dir)
		x.buildContext(p.Dir)
		x.gitClean(p.Dir)
	}
	return p.Dir
}

// leftovers looks for what sessions that are gone have left.
func (x *examination) leftovers(ctx context.Context, engine *runner.Engine, project string) {
	done, err := session.Repair(ctx, engine, project)
	if err != nil {
		x.fail("project", "", err)
		return
	}
	for _, path := range done.Placeholders {
		x.add(finding{Check: "leftover", Subject: path, Severity: note, Text: "an empty file that a killed heretic left in the work tree", Fixed: true})
	}
	for _, name := range done.Containers {
		x.add(finding{Check: "leftover", Subject: name, Severity: note, Text: "a container that was never started", Fixed: true})
	}
	for _, changed := range done.Git {
		x.add(finding{Check: "git", Subject: changed.File, Severity: warning, Text: changed.String(), Fix: changed.Restore})
	}
	dead, err := session.Prune(ctx, engine, project, session.PruneOptions{DryRun: true})
	if err != nil {
		x.fail("project", "", err)
		return
	}
	for _, name := range dead.Containers {
		x.add(finding{Check: "leftover", Subject: name, Severity: note, Text: "the container of a session that has ended", Fix: "heretic prune"})
	}
}

// ignored looks whether git sees the files of sessions.
func (x *examination) ignored(project string) {
	_, err := os.Lstat(filepath.Join(project, sessionFiles, ".gitignore"))
	if errors.Is(err, fs.ErrNotExist) {
		x.add(finding{Check: "git", Severity: warning, Text: "git sees the files of sessions: " + sessionFiles + "/.gitignore is missing",
			Fix: "heretic doctor --fix", mend: func() error { return session.Prepare(project) }})
	}
}

// buildContext looks whether a docker build would send the files of sessions
// to the engine, and so into an image.
func (x *examination) buildContext(project string) {
	var dockerfile string
	for _, name := range []string{"Dockerfile", "Containerfile", "compose.yaml", "docker-compose.yml"} {
		if _, err := os.Stat(filepath.Join(project, name)); err == nil {
			dockerfile = name
			break
		}
	}
	if dockerfile == "" {
		return
	}
	var patterns []string
	data, err := readFile(filepath.Join(project, ".dockerignore"))
	if err == nil {
		patterns, err = ignorefile.ReadAll(bytes.NewReader(data))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		x.fail("docker build", ".dockerignore", err)
		return
	}
	matcher, err := patternmatcher.New(patterns)
	if err != nil {
		x.fail("docker build", ".dockerignore", err)
		return
	}
	if hidden, err := matcher.MatchesOrParentMatches(sessionFiles + "/claude/.mcp.json"); err != nil || !hidden {
		x.add(finding{Check: "docker build", Subject: dockerfile, Severity: warning,
			Text: "a build would send the files of sessions, with their secrets, to the engine: .dockerignore does not name them",
			Fix:  "echo " + sessionFiles + " >> .dockerignore"})
	}
}

// gitClean warns of the one git command that deletes the files of sessions.
func (x *examination) gitClean(project string) {
	if _, err := os.Lstat(filepath.Join(project, ".git")); err != nil {
		return
	}
	entries, err := os.ReadDir(filepath.Join(project, sessionFiles))
	if err != nil {
		x.fail("project", "", err)
		return
	}
	sessions := 0
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			sessions++
		}
	}
	if sessions > 0 {
		x.add(finding{Check: "git", Severity: note,
			Text: fmt.Sprintf("`git clean -fdx` would delete the logins and settings of %s", counted(sessions, "session")),
			Fix:  "git clean -fdx -e .heretic"})
	}
}
