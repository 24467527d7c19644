package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/distribution/reference"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/registry"
	"github.com/docker/docker/pkg/jsonmessage"
	"github.com/docker/go-units"
	"github.com/moby/term"
)

// Pull fetches an image with the credentials of the docker configuration.
// Progress is drawn on progress when that is a terminal, and is a line every
// few seconds otherwise; nil is silent. The end of ctx ends the pull.
func (e *Engine) Pull(ctx context.Context, ref, platform string, progress io.Writer) error {
	api, err := e.api(ctx)
	if err != nil {
		return err
	}
	auth, err := e.registryAuth(ref)
	if err != nil {
		return &ImageError{Ref: ref, Err: err}
	}
	body, err := api.ImagePull(ctx, ref, image.PullOptions{RegistryAuth: auth, Platform: platform})
	if err == nil {
		err = showPull(ctx, body, ref, progress)
		body.Close()
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("pull %s: %w", ref, context.Cause(ctx))
	}
	err = e.wrap("pull", err)
	if _, ok := errors.AsType[*UnavailableError](err); ok {
		return err
	}
	return &ImageError{Ref: ref, Err: err, hint: "check the name and the network, or `docker login` to its registry"}
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
		// The error may hold what the helper printed, a secret perhaps.
		cfg := e.config()
		e.log.Warn("pull without credentials: the credential helper failed", "registry", key,
			"helper", "docker-credential-"+cmp.Or(cfg.CredentialHelpers[key], cfg.CredentialsStore))
		return "", nil
	}
	return registry.EncodeAuthConfig(registry.AuthConfig{
		Username: a.Username, Password: a.Password, Auth: a.Auth,
		ServerAddress: a.ServerAddress, IdentityToken: a.IdentityToken, RegistryToken: a.RegistryToken,
	})
}

// showPull reads the stream to its end, which is what completes the pull, and
// returns an error that the engine put into it.
func showPull(ctx context.Context, body io.Reader, ref string, progress io.Writer) error {
	if progress == nil {
		progress = io.Discard
	}
	if f, ok := progress.(*os.File); ok && term.IsTerminal(f.Fd()) {
		return jsonmessage.DisplayJSONMessagesStream(body, f, f.Fd(), true, nil)
	}
	messages, failed := make(chan jsonmessage.JSONMessage), make(chan error, 1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer close(messages)
		for dec := json.NewDecoder(body); ; {
			var m jsonmessage.JSONMessage
			if err := dec.Decode(&m); err != nil {
				if !errors.Is(err, io.EOF) {
					failed <- err
				}
				return
			}
			select {
			case messages <- m:
			case <-ctx.Done():
				return
			}
		}
	}()
	p := pullProgress{ref: ref, w: progress, begin: time.Now(), layers: map[string]jsonmessage.JSONProgress{}}
	p.line("pulling %s", ref)
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			p.beat()
		case m, more := <-messages:
			switch {
			case m.Error != nil:
				return m.Error
			case more:
				p.note(m)
				continue
			}
			select {
			case err := <-failed:
				return err
			default:
			}
			p.line("pulled %s in %s", ref, time.Since(p.begin).Round(100*time.Millisecond))
			return nil
		}
	}
}

// heartbeat is how often a pull shows that it is alive where it cannot draw.
const heartbeat = 5 * time.Second

type pullProgress struct {
	ref    string
	w      io.Writer
	begin  time.Time
	layers map[string]jsonmessage.JSONProgress
	done   int
}

func (p *pullProgress) line(format string, args ...any) { fmt.Fprintf(p.w, format+"\n", args...) }

func (p *pullProgress) note(m jsonmessage.JSONMessage) {
	switch m.Status {
	case "Pulling fs layer", "Waiting":
		p.layers[m.ID] = jsonmessage.JSONProgress{}
	case "Downloading":
		if m.Progress != nil {
			p.layers[m.ID] = *m.Progress
		}
	case "Pull complete", "Already exists":
		// A layer that the engine has was not named before.
		if _, ok := p.layers[m.ID]; !ok {
			p.layers[m.ID] = jsonmessage.JSONProgress{}
		}
		p.done++
	}
}

// beat shows how far it is.
func (p *pullProgress) beat() {
	var got int64
	for _, l := range p.layers {
		got += l.Current
	}
	p.line("pulling %s: %d of %d layers, %s, %s", p.ref, p.done, len(p.layers),
		units.HumanSize(float64(got)), time.Since(p.begin).Round(time.Second))
}
