package session_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"sync"

	"heretic/runner"
)

// fakeEngine keeps containers in memory. A container runs until agent returns.
type fakeEngine struct {
	agent func(s runner.Spec) int // nil: ends at once

	mu   sync.Mutex
	list map[string]runner.Container
	runs int
	err  error // what Run fails with after the creation
}

func (e *fakeEngine) set(c runner.Container) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.list == nil {
		e.list = map[string]runner.Container{}
	}
	e.list[c.ID] = c
}

func (e *fakeEngine) Run(ctx context.Context, o runner.RunOptions) (runner.Result, error) {
	failed := runner.Result{ExitCode: 125}
	e.mu.Lock()
	e.runs++
	_, taken := e.list[o.Spec.Name]
	e.mu.Unlock()
	if taken {
		return failed, &runner.NameConflictError{Name: o.Spec.Name}
	}
	c := runner.Container{ID: o.Spec.Name, Name: o.Spec.Name, State: "created", Labels: maps.Clone(o.Spec.Labels)}
	e.set(c)
	keep := false
	defer func() {
		if !keep {
			_ = e.Remove(ctx, c.ID)
		}
	}()
	if err := o.Prepare(ctx, c.ID); err != nil {
		return failed, err
	}
	if e.err != nil {
		return failed, e.err
	}
	c.State = "running"
	e.set(c)
	o.Started(c.ID)
	if o.Detach {
		keep = true
		return runner.Result{Detached: true}, nil
	}
	code := 0
	if e.agent != nil {
		code = e.agent(o.Spec)
	}
	o.Exited(ctx, c.ID, code)
	return runner.Result{ExitCode: code}, nil
}

func (e *fakeEngine) List(_ context.Context, labels map[string]string, _ bool) ([]runner.Container, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var found []runner.Container
next:
	for _, c := range e.list {
		for k, v := range labels {
			if c.Labels[k] != v {
				continue next
			}
		}
		found = append(found, c)
	}
	return found, nil
}

func (e *fakeEngine) Remove(_ context.Context, id string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, ok := e.list[id]; !ok {
		return runner.ErrNotFound
	}
	delete(e.list, id)
	return nil
}

func (e *fakeEngine) Logs(context.Context, string, runner.LogsOptions) error { return nil }

var errNoImages = errors.New("the fake engine has no images")

func (e *fakeEngine) Image(context.Context, string) (runner.ImageInfo, error) {
	return runner.ImageInfo{}, errNoImages
}
func (e *fakeEngine) Pull(context.Context, string, string, io.Writer) error { return errNoImages }
func (e *fakeEngine) Create(context.Context, runner.Spec) (string, error)   { return "", errNoImages }
func (e *fakeEngine) CopyTo(context.Context, string, string, io.Reader) error {
	return errNoImages
}
func (e *fakeEngine) FillMemory(context.Context, string, string, []byte, string, runner.Spec) (func() error, error) {
	return nil, errNoImages
}
func (e *fakeEngine) RemoveVolumes(context.Context, map[string]string) ([]string, error) {
	return nil, nil
}
func (e *fakeEngine) CopyFrom(context.Context, string, string) (io.ReadCloser, error) {
	return nil, errNoImages
}

func (e *fakeEngine) InitFails(code int) bool { return code == 126 || code == 127 }
