//go:build !windows

package runner

import (
	"context"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/container"

	"heretic/runner/internal/term"
)

// deafEngine is a client whose container ends only when it is stopped or
// killed; it keeps a record. It has no goroutines and no sockets, so that the
// clock can be a fake one.
type deafEngine struct {
	dockerAPI
	start time.Time
	log   []string
	end   chan struct{}
}

func (d *deafEngine) record(what string) {
	d.log = append(d.log, time.Since(d.start).Round(time.Second).String()+" "+what)
}

func (d *deafEngine) ContainerKill(_ context.Context, _, sig string) error {
	d.record(sig)
	return nil
}

func (d *deafEngine) ContainerStop(_ context.Context, _ string, o container.StopOptions) error {
	d.record("stop")
	time.Sleep(time.Duration(*o.Timeout) * time.Second)
	close(d.end)
	return nil
}

func (d *deafEngine) ClientVersion() string { return "1.51" }

func (d *deafEngine) ContainerAttach(ctx context.Context, _ string, _ container.AttachOptions) (types.HijackedResponse, error) {
	ours, theirs := net.Pipe()
	context.AfterFunc(ctx, func() { theirs.Close() })
	return types.NewHijackedResponse(ours, types.MediaTypeMultiplexedStream), nil
}

func (d *deafEngine) ContainerWait(ctx context.Context, _ string, _ container.WaitCondition) (<-chan container.WaitResponse, <-chan error) {
	errs := make(chan error, 1)
	context.AfterFunc(ctx, func() { errs <- ctx.Err() })
	return nil, errs
}

func (d *deafEngine) ContainerStart(context.Context, string, container.StartOptions) error {
	return nil
}

func (d *deafEngine) ContainerInspect(context.Context, string) (container.InspectResponse, error) {
	state := &container.State{Running: true}
	return container.InspectResponse{ContainerJSONBase: &container.ContainerJSONBase{State: state}}, nil
}

func (d *deafEngine) ContainerList(ctx context.Context, _ container.ListOptions) ([]container.Summary, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (d *deafEngine) ContainerRemove(ctx context.Context, _ string, _ container.RemoveOptions) error {
	<-ctx.Done()
	return ctx.Err()
}

func (d *deafEngine) attachment() *attachment {
	e := &Engine{docker: d, ready: true, server: &serverName{}, log: slog.New(slog.DiscardHandler)}
	a := &attachment{e: e, id: "box", signals: &term.Signals{C: make(chan os.Signal, 8)}}
	a.stream = &stream{output: make(chan error, 1), outDone: make(chan struct{}), input: make(chan inputEnd, 1)}
	close(a.stream.outDone)
	return a
}

func (d *deafEngine) live(ctx context.Context, a *attachment) (Result, error) {
	status := make(chan exit, 1)
	go func() {
		select {
		case <-d.end:
			a.stream.output <- nil
			status <- exit{code: 137}
		case <-ctx.Done():
		}
	}()
	defer a.carryOut(ctx)()
	return a.live(ctx, status)
}
