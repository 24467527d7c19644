package runnertest

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"
	"github.com/docker/docker/pkg/stdcopy"
)

func TestMain(m *testing.M) {
	Filter()
	os.Exit(m.Run())
}

func TestAddress(t *testing.T) {
	for _, tt := range []struct{ variable, host, want string }{
		{"", "unix:///x.sock", ""},
		{"1", "", client.DefaultDockerHost},
		{"1", "unix:///x.sock", "unix:///x.sock"},
		{"unix:///y.sock", "unix:///x.sock", "unix:///y.sock"},
	} {
		t.Setenv(Variable, tt.variable)
		t.Setenv("DOCKER_HOST", tt.host)
		if got := Address(); got != tt.want {
			t.Errorf("%s=%q DOCKER_HOST=%q: %q, want %q", Variable, tt.variable, tt.host, got, tt.want)
		}
	}
}

func TestEngineImage(t *testing.T) {
	cli := Client(t)
	ctx := t.Context()
	for _, tt := range []struct{ user, want string }{
		{"", "uid 0 gid 0 home /root cwd /workspace"},
		{"agent", "uid 1000 gid 1000 home /home/agent cwd /workspace"},
		{"other", "uid 1234 gid 1234 home /srv/other cwd /workspace"},
	} {
		tag := ImageAs(t, tt.user)
		if again := ImageAs(t, tt.user); again != tag {
			t.Errorf("a second call gave %s after %s", again, tag)
		}
		c, err := cli.ContainerCreate(ctx, &container.Config{Image: tag, Cmd: []string{"whoami"}}, nil, nil, nil, "")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			// The test's own context has ended here.
			if err := cli.ContainerRemove(context.Background(), c.ID, container.RemoveOptions{Force: true}); err != nil {
				t.Error(err)
			}
		})
		wait, errs := cli.ContainerWait(ctx, c.ID, container.WaitConditionNextExit)
		if err := cli.ContainerStart(ctx, c.ID, container.StartOptions{}); err != nil {
			t.Fatal(err)
		}
		select {
		case <-wait:
		case err := <-errs:
			t.Fatal(err)
		}
		logs, err := cli.ContainerLogs(ctx, c.ID, container.LogsOptions{ShowStdout: true, ShowStderr: true})
		if err != nil {
			t.Fatal(err)
		}
		defer logs.Close()
		var out strings.Builder
		if _, err := stdcopy.StdCopy(&out, &out, logs); err != nil {
			t.Fatal(err)
		}
		// Whether the group is among the groups differs between engines.
		before, after, _ := strings.Cut(out.String(), " groups [")
		_, after, _ = strings.Cut(after, "]")
		if got := before + after; !strings.Contains(got, tt.want) {
			t.Errorf("%s says %q, want %q", tag, out.String(), tt.want)
		}
	}
}
