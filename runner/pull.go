package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/containerd/errdefs"
	"github.com/distribution/reference"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/registry"
	"github.com/docker/docker/pkg/jsonmessage"
	"github.com/moby/term"
)

// Pull fetches an image with the credentials of the docker configuration.
// Progress is drawn on progress when that is a terminal, and is a line now and
// then otherwise; nil is silent.
func (e *Engine) Pull(ctx context.Context, ref, platform string, progress io.Writer) error {
	api, err := e.api(ctx)
	if err != nil {
		return err
	}
	fail := func(err error) error {
		if cause := context.Cause(ctx); ctx.Err() != nil {
			return fmt.Errorf("pull %s: %w", ref, cause)
		}
		if errdefs.IsNotFound(err) {
			err = fmt.Errorf("%w: %s", ErrNotFound, daemonText(err))
		}
		return &ImageError{Ref: ref, Err: err, hint: "check the name, or `docker login` to its registry"}
	}
	auth, err := e.registryAuth(ref)
	if err != nil {
		return &ImageError{Ref: ref, Err: err}
	}
	body, err := api.ImagePull(ctx, ref, image.PullOptions{RegistryAuth: auth, Platform: platform})
	if err != nil {
		return fail(e.wrap("pull", err))
	}
	defer body.Close()
	if err := showPull(body, progress); err != nil {
		return fail(err)
	}
	return nil
}

// registryAuth is the credentials header for the registry of ref, from the
// docker configuration or its credential helper.
func (e *Engine) registryAuth(ref string) (string, error) {
	named, err := reference.ParseNormalizedNamed(ref)
	if err != nil {
		return "", err
	}
	key := reference.Domain(named)
	if key == "docker.io" {
		key = "https://index.docker.io/v1/"
	}
	a, err := e.config().GetAuthConfig(key)
	if err != nil {
		e.log.Warn("no registry credentials", "registry", key, "err", err)
		return "", nil
	}
	return registry.EncodeAuthConfig(registry.AuthConfig{
		Username: a.Username, Password: a.Password, Auth: a.Auth,
		ServerAddress: a.ServerAddress, IdentityToken: a.IdentityToken, RegistryToken: a.RegistryToken,
	})
}

// showPull reads the stream to its end, which is what completes the pull, and
// returns an error that the engine put into it.
func showPull(body io.Reader, progress io.Writer) error {
	if f, ok := progress.(*os.File); ok && term.IsTerminal(f.Fd()) {
		return jsonmessage.DisplayJSONMessagesStream(body, f, f.Fd(), true, nil)
	}
	for dec := json.NewDecoder(body); ; {
		var m jsonmessage.JSONMessage
		if err := dec.Decode(&m); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if m.Error != nil {
			return m.Error
		}
	}
}
