package session_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"heretic/mcpconf"
	"heretic/mcpconf/target"
	"heretic/profile"
	"heretic/runner"
	"heretic/session"
)

// project makes an empty project.
func project(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func genericRequest(dir, name string) session.Request {
	t, _ := target.Lookup("generic")
	return session.Request{
		Session: name, Target: t, Approved: true,
		Profile: profile.Profile{
			Name: "generic", Image: "i", AgentType: "generic", Project: dir, Workspace: "/workspace",
			Volumes: []profile.Volume{{Source: dir, Target: "/workspace"}},
			Extra:   profile.Extra{ProtectHooks: true},
			Servers: []mcpconf.Server{{Name: "memory", Type: mcpconf.Stdio, Command: "mcp-memory"}},
		},
	}
}

// start plans and launches a request.
func start(ctx context.Context, eng session.Engine, req session.Request) (runner.Result, error) {
	facts, err := session.Gather(ctx, eng, req)
	if err != nil {
		return runner.Result{}, err
	}
	p, err := session.NewPlan(req, facts)
	if err != nil {
		return runner.Result{}, err
	}
	var warned error
	res, err := session.Launch(ctx, eng, p, session.LaunchOptions{Warn: func(n mcpconf.Note) { warned = errors.New(n.Text) }})
	return res, errors.Join(err, warned)
}

func exists(t *testing.T, name string) bool {
	t.Helper()
	_, err := os.Lstat(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return err == nil
}

func TestTwoAtTheSameInstant(t *testing.T) {
	const rivals = 20
	dir := project(t)
	lost := make(chan struct{}, rivals)
	eng := &fakeEngine{agent: func(runner.Spec) int {
		for range rivals - 1 { // the winner's agent outlives the others' attempts
			<-lost
		}
		return 0
	}}
	var won atomic.Int32
	var wg sync.WaitGroup
	for range rivals {
		wg.Go(func() {
			_, err := start(t.Context(), eng, genericRequest(dir, "s"))
			if err == nil {
				won.Add(1)
				return
			}
			if _, ok := errors.AsType[*session.LiveError](err); !ok {
				t.Errorf("lost with %v", err)
			}
			lost <- struct{}{}
		})
	}
	wg.Wait()
	if won.Load() != 1 || eng.runs != 1 {
		t.Errorf("%d won, %d ran", won.Load(), eng.runs)
	}
	if exists(t, filepath.Join(dir, ".mcp.json")) {
		t.Error("the placeholder is still there")
	}
}

func TestFiftySessionsAtOnce(t *testing.T) {
	const sessions = 50
	before := runtime.NumGoroutine()
	dir := project(t)
	placeholder := filepath.Join(dir, ".mcp.json")
	var live sync.WaitGroup
	live.Add(sessions)
	eng := &fakeEngine{agent: func(runner.Spec) int {
		live.Done()
		live.Wait() // all of them are live at the same time
		if !exists(t, placeholder) {
			t.Error("the placeholder went too early")
		}
		return 0
	}}
	var wg sync.WaitGroup
	for i := range sessions {
		wg.Go(func() {
			if _, err := start(t.Context(), eng, genericRequest(dir, fmt.Sprintf("s%d", i))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if exists(t, placeholder) {
		t.Error("the placeholder is still there")
	}
	for range 3000 { // goroutines take a moment to end
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}

func TestPlaceholderStaysWhenItIsNotOurs(t *testing.T) {
	for name, c := range map[string]struct {
		before *string // content of .mcp.json before the run
		during func(file string) error
		after  *string
	}{
		"made and removed": {},
		"was empty before": {before: new(""), after: new("")},
		"was broken":       {before: new("{"), after: new("{")},
		"got content": {
			during: func(file string) error { return os.WriteFile(file, []byte("{}"), 0o644) },
			after:  new("{}"),
		},
		"was replaced by a folder": {
			during: func(file string) error { return errors.Join(os.Remove(file), os.Mkdir(file, 0o755)) },
		},
		"was removed": {during: os.Remove},
	} {
		t.Run(name, func(t *testing.T) {
			dir := project(t)
			file := filepath.Join(dir, ".mcp.json")
			if c.before != nil {
				if err := os.WriteFile(file, []byte(*c.before), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			eng := &fakeEngine{agent: func(runner.Spec) int {
				if c.during != nil {
					if err := c.during(file); err != nil {
						t.Error(err)
					}
				}
				return 0
			}}
			if _, err := start(t.Context(), eng, genericRequest(dir, "s")); err != nil {
				t.Fatal(err)
			}
			if name == "was replaced by a folder" {
				if !exists(t, file) {
					t.Error("somebody's folder was removed")
				}
				return
			}
			data, err := os.ReadFile(file)
			switch {
			case c.after == nil && !errors.Is(err, fs.ErrNotExist):
				t.Errorf("still there: %q, %v", data, err)
			case c.after != nil && string(data) != *c.after:
				t.Errorf("%q, %v, want %q", data, err, *c.after)
			}
		})
	}
}

func TestRepairAfterAKill(t *testing.T) {
	dir := project(t)
	file := filepath.Join(dir, ".mcp.json")
	eng := &fakeEngine{}
	req := genericRequest(dir, "s")
	req.Detach = true // as a heretic that is gone
	if _, err := start(t.Context(), eng, req); err != nil {
		t.Fatal(err)
	}
	if _, err := session.Repair(t.Context(), eng, dir); err != nil || !exists(t, file) {
		t.Errorf("a live session lost its placeholder, %v", err)
	}
	list, err := eng.List(t.Context(), nil, true)
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	c := list[0]
	c.State = "exited" // the engine was restarted
	eng.set(c)
	never := c
	never.ID, never.Name, never.State = "never", "never", "created"
	never.Labels = map[string]string{session.LabelManaged: "true", session.LabelProject: dir, session.LabelSession: "n"}
	eng.set(never)
	would, err := session.Prune(t.Context(), eng, dir, session.PruneOptions{DryRun: true})
	if err != nil || !slices.Equal(would.Placeholders, []string{".mcp.json"}) || !exists(t, file) {
		t.Errorf("a dry run: %+v, %v", would, err)
	}
	done, err := session.Repair(t.Context(), eng, dir)
	if err != nil || len(done.Placeholders) != 1 || len(done.Containers) != 1 || exists(t, file) {
		t.Errorf("%+v, %v", done, err)
	}
	// The stopped leftover is replaced.
	if _, err := start(t.Context(), eng, genericRequest(dir, "s")); err != nil {
		t.Error(err)
	}
}

func TestAFailedStartLeavesNothing(t *testing.T) {
	dir := project(t)
	eng := &fakeEngine{err: errors.New("no such command")}
	if _, err := start(t.Context(), eng, genericRequest(dir, "s")); !errors.Is(err, eng.err) {
		t.Errorf("error %v", err)
	}
	for _, name := range []string{".mcp.json", ".heretic/temp/s"} {
		if exists(t, filepath.Join(dir, name)) {
			t.Errorf("%s is still there", name)
		}
	}
	if len(eng.list) > 0 {
		t.Errorf("containers: %v", eng.list)
	}
}

func TestLinksInTheWayAreRefused(t *testing.T) {
	for _, name := range []string{".heretic", ".heretic/temp", ".heretic/temp/s", ".heretic/temp/.gitignore", ".heretic/temp/.locks"} {
		t.Run(name, func(t *testing.T) {
			dir, outside := project(t), project(t)
			link := filepath.Join(dir, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o755), os.Symlink(outside, link)); err != nil {
				t.Fatal(err)
			}
			if _, err := start(t.Context(), &fakeEngine{}, genericRequest(dir, "s")); err == nil {
				t.Error("it was launched")
			}
			entries, err := os.ReadDir(outside)
			if err != nil || len(entries) > 0 {
				t.Errorf("written outside: %v, %v", entries, err)
			}
			if exists(t, filepath.Join(dir, ".mcp.json")) {
				t.Error("the placeholder was left")
			}
		})
	}
	t.Run("generated file", func(t *testing.T) {
		dir, outside := project(t), filepath.Join(project(t), "victim")
		link := filepath.Join(dir, ".heretic/temp/s/.mcp.json")
		if err := errors.Join(os.WriteFile(outside, []byte("x"), 0o644), os.MkdirAll(filepath.Dir(link), 0o755), os.Symlink(outside, link)); err != nil {
			t.Fatal(err)
		}
		if _, err := start(t.Context(), &fakeEngine{}, genericRequest(dir, "s")); err != nil {
			t.Error(err)
		}
		if data, err := os.ReadFile(outside); err != nil || string(data) != "x" {
			t.Errorf("the link's target became %q, %v", data, err)
		}
	})
	for name, make := range map[string]func(file string) error{
		"symbolic link": func(file string) error { return os.Symlink("/etc/passwd", file) },
		"directory":     func(file string) error { return os.Mkdir(file, 0o755) },
	} {
		t.Run(".mcp.json is a "+name, func(t *testing.T) {
			dir := project(t)
			if err := make(filepath.Join(dir, ".mcp.json")); err != nil {
				t.Fatal(err)
			}
			if _, err := start(t.Context(), &fakeEngine{}, genericRequest(dir, "s")); err == nil {
				t.Error("it was launched")
			}
			if exists(t, filepath.Join(dir, ".heretic")) {
				t.Error("something was written before the error")
			}
		})
	}
}

// Prune leaves a container alone that another heretic works with at this
// moment, to look into an image say, and takes one that a killed heretic left.
func TestPruneHelpers(t *testing.T) {
	project := t.TempDir()
	if err := session.Prepare(project); err != nil {
		t.Fatal(err)
	}
	eng := &fakeEngine{}
	for id, age := range map[string]time.Duration{"fresh": 0, "left": time.Hour} {
		labels := session.Helper(project, "image", "").Labels
		eng.set(runner.Container{ID: id, Name: id, State: "created", Labels: labels, Created: time.Now().Add(-age)})
	}
	done, err := session.Prune(t.Context(), eng, project, session.PruneOptions{})
	if err != nil || !slices.Equal(done.Containers, []string{"left"}) {
		t.Errorf("%+v, %v", done, err)
	}
}
