package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/docker/docker/api/types/container"
)

// container is what heretic makes of the profile, for the others to make too.
type template struct {
	Config     *container.Config
	HostConfig *container.HostConfig
}

// profileText is the profile of the launches: three servers, as people have.
const profileText = `image: %s
agent_type: claude
tty: false
mcp:
  - {name: files, command: npx, args: [-y, "@example/files", "${WORKSPACE}"]}
  - {name: issues, command: npx, args: [-y, "@example/issues"], env: {TOKEN: value}}
  - {name: search, url: "https://search.example/mcp"}
command: [exit, "0"]
extra: {network: %s}
`

// launch compares whole launches of the same container.
func (b *bench) launch(ctx context.Context) ([]row, error) {
	var rows []row
	for _, network := range []string{"bridge", "none"} {
		subjects, err := b.launchers(ctx, network)
		if err != nil {
			return nil, err
		}
		s, err := b.alternate(ctx, b.pairs, subjects...)
		if err != nil {
			return nil, err
		}
		ours, api, docker := s[0], s[1], s[2]
		what := "launch, network " + network
		rows = append(rows,
			compare(what, "bare API calls", ours, api, wall, millis, 1.03),
			compare(what, "`docker run --rm`", ours, docker, wall, millis, 1),
			compare(what+": client CPU", "`docker run --rm`", ours, docker, cpu, millis, 0.5),
			compare(what+": client peak memory", "`docker run --rm`", ours, docker, peak, mebibytes, 0),
		)
	}
	return rows, nil
}

// launchers are heretic, the bare API and the docker CLI, with one container.
func (b *bench) launchers(ctx context.Context, network string) ([]subject, error) {
	agent := "launch-" + network
	if err := b.profile(agent, fmt.Sprintf(profileText, b.image, network)); err != nil {
		return nil, err
	}
	spec, err := b.template(ctx, agent)
	if err != nil {
		return nil, err
	}
	spec.Config.Cmd = []string{"exit", "0"}
	file := filepath.Join(b.tmp, agent+".json")
	data, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return nil, err
	}
	return []subject{
		{argv: []string{b.bin("heretic"), "run", agent}, dir: b.project},
		{argv: []string{b.bin("bareapi"), file}},
		{argv: append([]string{"docker", "run", "--rm"}, spec.dockerArgs()...)},
	}, nil
}

// template starts an agent and asks the engine what heretic told it. The paths
// are those of a copy of the project, so that nobody works on the other's.
func (b *bench) template(ctx context.Context, agent string) (template, error) {
	if out, err := b.heretic(ctx, "run", agent, "-d", "--", "sleep", "600"); err != nil {
		return template{}, fmt.Errorf("%w\n%s", err, out)
	}
	list, err := b.heretic(ctx, "ps", "--json")
	if err != nil {
		return template{}, err
	}
	var running []struct{ Agent, Container string }
	if err := json.Unmarshal(list, &running); err != nil || len(running) != 1 {
		return template{}, fmt.Errorf("heretic ps --json: %v: %s", err, list)
	}
	info, err := b.docker.ContainerInspect(ctx, running[0].Container)
	if err != nil {
		return template{}, err
	}
	copied := b.project + "-copy"
	if err := os.RemoveAll(copied); err != nil {
		return template{}, err
	}
	if err := os.CopyFS(copied, os.DirFS(b.project)); err != nil {
		return template{}, err
	}
	if out, err := b.heretic(ctx, "stop", agent); err != nil {
		return template{}, fmt.Errorf("%w\n%s", err, out)
	}
	data, err := json.Marshal(template{info.Config, info.HostConfig})
	if err != nil {
		return template{}, err
	}
	data = bytes.ReplaceAll(data, []byte(b.project), []byte(copied))
	var t template
	if err := json.Unmarshal(data, &t); err != nil {
		return template{}, err
	}
	t.Config.Hostname = ""
	return t, nil
}

// dockerArgs is the container as `docker run` is told.
func (t template) dockerArgs() []string {
	args := []string{"--network", string(t.HostConfig.NetworkMode), "-w", t.Config.WorkingDir}
	if t.Config.OpenStdin {
		args = append(args, "-i")
	}
	for _, v := range t.Config.Env {
		args = append(args, "-e", v)
	}
	for name, value := range t.Config.Labels {
		args = append(args, "--label", name+"="+value)
	}
	for _, m := range t.HostConfig.Mounts {
		mount := fmt.Sprintf("type=%s,target=%s", m.Type, m.Target)
		if m.Source != "" {
			mount += ",source=" + m.Source
		}
		if m.ReadOnly {
			mount += ",readonly"
		}
		args = append(args, "--mount", mount)
	}
	for target, options := range t.HostConfig.Tmpfs {
		args = append(args, "--tmpfs", strings.TrimSuffix(target+":"+options, ":"))
	}
	return append(append(args, t.Config.Image), t.Config.Cmd...)
}

// together compares twenty launches at once.
func (b *bench) together(ctx context.Context) ([]row, error) {
	const launches = 20
	subjects, err := b.launchers(ctx, "none")
	if err != nil {
		return nil, err
	}
	took := make([][]sample, len(subjects))
	for round := range max(3, b.pairs/8) {
		for i := range subjects {
			which := (i + round) % len(subjects)
			begin := time.Now()
			errs := make([]error, launches)
			var group sync.WaitGroup
			for k := range launches {
				s := subjects[which]
				if which == 0 {
					s.argv = append(s.argv[:len(s.argv):len(s.argv)], "-s", fmt.Sprintf("together-%d", k))
				}
				group.Go(func() { _, errs[k] = b.time(ctx, s) })
			}
			group.Wait()
			for _, err := range errs {
				if err != nil {
					return nil, err
				}
			}
			took[which] = append(took[which], sample{Wall: time.Since(begin)})
		}
	}
	what := fmt.Sprintf("%d launches at once", launches)
	return []row{
		compare(what, "bare API calls", took[0], took[1], wall, seconds, 0),
		compare(what, "`docker run --rm`", took[0], took[2], wall, seconds, 1),
	}, nil
}

// heretic runs the binary under test in the project.
func (b *bench) heretic(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, b.bin("heretic"), args...)
	cmd.Dir = b.project
	cmd.Env = b.env
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("heretic %q: %w", args, err)
	}
	return out, nil
}
