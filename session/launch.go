package session

import (
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"time"

	"heretic/mcpconf"
	"heretic/runner"
	"heretic/session/gitguard"
	"heretic/session/internal/store"
)

// cleanupTime bounds the calls to the engine after the agent has ended.
const cleanupTime = 20 * time.Second

// LaunchOptions are the caller's side of a launch.
type LaunchOptions struct {
	Streams  runner.Streams
	Progress io.Writer // of a pull
	// Started is called once the agent runs.
	Started func(containerID string)
	// Warn is told what went wrong beside the run itself. It may be called
	// from another goroutine while the agent is attached.
	Warn func(mcpconf.Note)
}

// launch is one plan being carried out.
type launch struct {
	eng Engine
	p   Plan
	o   LaunchOptions
	st  *store.Store

	// starting is held until the container runs; it is what makes one of two
	// simultaneous launches of a session fail.
	starting *store.Lock
	fresh    bool // the session directory did not exist
	started  bool
	// initError is why the init process could not run the command.
	initError *runner.StartError
	rec       record
	// homeInContainer leaves the files of the agent home to the engine.
	homeInContainer bool
	guard           gitguard.Snapshot
	stopWatch       func()
	releaseSecrets  func() error // after the start
	// tidied has the result of a tidy that goes on while the container is
	// removed.
	tidied chan error
}

// Launch carries out a plan and returns when the agent has ended, or was
// detached. A live session of that name is never touched: [LiveError]. When
// the agent does not start, nothing stays behind.
func Launch(ctx context.Context, eng Engine, p Plan, o LaunchOptions) (runner.Result, error) {
	if o.Warn == nil {
		o.Warn = func(mcpconf.Note) {}
	}
	st, err := store.Open(p.Project)
	if err != nil {
		return runner.Result{ExitCode: 125}, err
	}
	defer st.Close()
	l := &launch{eng: eng, p: p, o: o, st: st}
	if err := l.enter(ctx); err != nil {
		return runner.Result{ExitCode: 125}, err
	}
	res := runner.Result{ExitCode: 125}
	if err = l.prepareHome(ctx); err == nil {
		res, err = l.run(ctx)
	}
	if l.initError != nil {
		l.started, err = false, l.initError
		res.ExitCode = l.initError.Code
	}
	l.leave(context.WithoutCancel(ctx), res)
	return res, err
}

// enter takes the session, mends what an earlier launch left, and writes the
// files: all that must be on the host before the container is created.
func (l *launch) enter(ctx context.Context) (err error) {
	project, err := l.st.LockProject(ctx)
	if err != nil {
		return err
	}
	defer project.Unlock()
	if l.starting, err = l.st.TryLockSession(l.p.Session); err != nil {
		return err
	}
	if l.starting == nil {
		return &LiveError{Session: l.p.Session, Agent: l.p.Agent, Starting: true}
	}
	defer func() {
		if err != nil {
			l.starting.Unlock()
		}
	}()
	if err := l.claim(ctx); err != nil {
		return err
	}
	if l.fresh, err = l.st.MakeSession(l.p.Session); err != nil {
		return err
	}
	if err = l.write(); err != nil {
		l.undo(ctx)
	}
	return err
}

// claim makes sure that the session is free and this agent's, and removes its
// stopped container.
func (l *launch) claim(ctx context.Context) error {
	containers, err := l.eng.List(ctx, projectLabels(l.p.Project), true)
	if err != nil {
		return err
	}
	done, err := repair(ctx, l.eng, l.st, l.p.Project, containers)
	l.warn(err)
	for _, f := range done.Git {
		l.reportGit(f)
	}
	if l.rec, err = readRecord(l.st, l.p.Session); err != nil {
		return err
	}
	owner := l.rec.Agent
	i := slices.IndexFunc(containers, func(c runner.Container) bool { return c.Labels[LabelSession] == l.p.Session })
	if i >= 0 && containers[i].Labels[LabelAgent] != "" {
		owner = containers[i].Labels[LabelAgent]
	}
	if owner != "" && owner != l.p.Agent {
		return &OtherAgentError{Session: l.p.Session, Owner: owner, Agent: l.p.Agent}
	}
	if i < 0 {
		return nil
	}
	// Nobody is starting it: one that was only created is a leftover too.
	if c := containers[i]; c.Live() && c.State != "created" {
		return &LiveError{Session: l.p.Session, Agent: l.p.Agent}
	}
	return ignoreNotFound(l.eng.Remove(ctx, containers[i].ID))
}

// write writes the files of the session, and the placeholders.
func (l *launch) write() error {
	if err := rememberUser(l.st, l.p.userKey, l.p.imageUser); err != nil {
		return err
	}
	rec := &l.rec
	var names []string
	for _, f := range l.p.Files {
		names = append(names, f.Name)
		if err := l.st.Write(path.Join(l.p.Session, f.Name), f.Data, 0o644); err != nil {
			return err
		}
	}
	for _, old := range rec.Files {
		if !slices.Contains(names, old) {
			if err := l.st.Remove(path.Join(l.p.Session, old)); err != nil {
				return err
			}
		}
	}
	rec.Agent, rec.AgentType, rec.Image, rec.Files = l.p.Agent, l.p.AgentType, l.p.Spec.Image, names
	if err := writeRecord(l.st, l.p.Session, l.rec); err != nil {
		return err
	}
	if err := l.saveGit(); err != nil {
		return err
	}
	if err := l.makeHooks(); err != nil {
		return err
	}
	return l.st.AddPlaceholders(l.p.Placeholders)
}

func (l *launch) run(ctx context.Context) (runner.Result, error) {
	return l.eng.Run(ctx, runner.RunOptions{
		Spec: l.p.Spec, Pull: l.p.Pull, Streams: l.o.Streams, Progress: l.o.Progress,
		Detach: l.p.Detach, Keep: l.p.Keep, DetachKeys: l.p.DetachKeys,
		Prepare: l.prepare, Exited: l.ended,
		Started: func(id string) {
			l.started = true
			l.secretsDelivered()
			l.starting.Unlock()
			if !l.p.Detach {
				l.stopWatch = l.watchGit(context.WithoutCancel(ctx))
			}
			if l.o.Started != nil {
				l.o.Started(id)
			}
		},
	})
}

// ended is told of the agent's end, before its container is removed.
func (l *launch) ended(ctx context.Context, id string, code int) {
	l.checkInit(ctx, id, code)
	if l.initError != nil || l.p.Keep {
		return
	}
	// The removal takes its time, and changes nothing for the project.
	l.tidied = make(chan error, 1)
	l.endWatch()
	go func() {
		ctx, cancel := context.WithTimeout(ctx, cleanupTime)
		defer cancel()
		l.tidied <- l.tidy(ctx, id)
	}()
}

func (l *launch) endWatch() {
	if l.stopWatch != nil {
		l.stopWatch()
		l.stopWatch = nil
	}
}

// leave ends the launch: what the agent still uses stays, the rest goes.
func (l *launch) leave(ctx context.Context, res runner.Result) {
	ctx, cancel := context.WithTimeout(ctx, cleanupTime)
	defer cancel()
	l.starting.Unlock()
	l.secretsDelivered()
	l.endWatch()
	switch {
	case l.p.Detach && l.started:
	case l.tidied != nil:
		l.warn(<-l.tidied)
	default:
		l.warn(l.tidy(ctx, ""))
	}
}

// tidy mends the project after the container gone, which may still be listed.
func (l *launch) tidy(ctx context.Context, gone string) error {
	project, err := l.st.LockProject(ctx)
	if err != nil {
		return err
	}
	defer project.Unlock()
	if !l.started {
		l.undo(ctx)
	}
	containers, err := l.eng.List(ctx, projectLabels(l.p.Project), true)
	if err != nil {
		return err
	}
	containers = slices.DeleteFunc(containers, func(c runner.Container) bool { return c.ID == gone })
	_, err = dropPlaceholders(l.st, containers)
	return errors.Join(err, l.leaveGit(containers))
}

// undo removes what was written for an agent that did not start.
func (l *launch) undo(ctx context.Context) {
	var errs []error
	for _, f := range l.p.Files {
		errs = append(errs, l.st.Remove(path.Join(l.p.Session, f.Name)))
	}
	if l.fresh {
		errs = append(errs, removeSession(ctx, l.eng, l.st, l.p.Project, l.p.Session))
	}
	l.warn(errors.Join(errs...))
}

func (l *launch) warn(err error) {
	if err != nil {
		l.o.Warn(mcpconf.Note{Text: err.Error()})
	}
}

func ignoreNotFound(err error) error {
	if errors.Is(err, runner.ErrNotFound) {
		return nil
	}
	return err
}
