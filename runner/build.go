package runner

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/docker/docker/api/types/build"
	"github.com/docker/docker/pkg/jsonmessage"
)

// BuildOptions are what Build makes an image of.
type BuildOptions struct {
	Dockerfile string // its text; no files beside it
	Tags       []string
	Args       map[string]string
	Network    string // of RUN instructions; empty: the engine's default
	NoCache    bool
	// Output is given each line that the builder prints. Nil is silent.
	Output func(line string)
}

// BuildError is returned when an instruction of the Dockerfile failed.
type BuildError struct{ Text string }

func (e *BuildError) Error() string { return e.Text }

// Build has the engine build an image and returns its ID. It uses the engine's
// own builder, which every engine has. Images that the Dockerfile starts from
// must be there.
func (e *Engine) Build(ctx context.Context, o BuildOptions) (string, error) {
	api, err := e.api(ctx)
	if err != nil {
		return "", err
	}
	files, err := dockerfileTar(o.Dockerfile)
	if err != nil {
		return "", err
	}
	args := map[string]*string{}
	for k, v := range o.Args {
		args[k] = &v
	}
	resp, err := api.ImageBuild(ctx, files, build.ImageBuildOptions{
		Tags: o.Tags, BuildArgs: args, NetworkMode: o.Network, NoCache: o.NoCache,
		Remove: true, ForceRemove: true,
	})
	if err != nil {
		return "", e.wrap("build the image", err)
	}
	defer resp.Body.Close()
	id, err := readBuild(resp.Body, o.Output)
	if ctx.Err() != nil {
		return "", fmt.Errorf("build the image: %w", context.Cause(ctx))
	}
	return id, err
}

// buildError leaves the instruction out of what the builder says about one that
// failed: the caller knows it, and it may be long.
func buildError(e *jsonmessage.JSONError) error {
	if strings.HasPrefix(e.Message, "The command '") && e.Code != 0 {
		return &BuildError{fmt.Sprintf("the command ended with code %d", e.Code)}
	}
	if rest, ok := strings.CutPrefix(e.Message, "building at STEP "); ok { // Podman
		if i := strings.LastIndex(rest, `": `); i >= 0 {
			return &BuildError{rest[i+len(`": `):]}
		}
	}
	return &BuildError{e.Message}
}

func dockerfileTar(text string) (io.Reader, error) {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	if err := w.WriteHeader(&tar.Header{Name: "Dockerfile", Mode: 0o644, Size: int64(len(text))}); err != nil {
		return nil, err
	}
	if _, err := io.WriteString(w, text); err != nil {
		return nil, err
	}
	return &buf, w.Close()
}

// readBuild reads the builder's stream to its end, which is what completes the
// build.
func readBuild(body io.Reader, output func(string)) (string, error) {
	if output == nil {
		output = func(string) {}
	}
	var id, pending string
	for dec := json.NewDecoder(body); ; {
		var m jsonmessage.JSONMessage
		if err := dec.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return "", fmt.Errorf("build the image: read what the engine says: %w", err)
		}
		if m.Error != nil {
			return "", buildError(m.Error)
		}
		if m.Aux != nil {
			var aux struct{ ID string }
			if json.Unmarshal(*m.Aux, &aux) == nil && aux.ID != "" {
				id = aux.ID
			}
		}
		pending += m.Stream
		for {
			line, rest, ok := strings.Cut(pending, "\n")
			if !ok {
				break
			}
			output(plain(line))
			pending = rest
		}
	}
	if pending != "" {
		output(plain(pending))
	}
	if id == "" {
		return "", &BuildError{"the engine names no image"}
	}
	return id, nil
}

// plain takes off the colour that the builder gives to standard error.
func plain(line string) string {
	line = strings.NewReplacer("\x1b[91m", "", "\x1b[0m", "").Replace(line)
	return strings.TrimRight(line, "\r")
}
