package image

import (
	"context"
	"errors"
	"strings"
	"time"

	"heretic/runner"
)

// Store is what looking after images needs of an engine; *runner.Engine has
// it.
type Store interface {
	Images(ctx context.Context, label string) ([]runner.ImageSummary, error)
	RemoveImage(ctx context.Context, ref string) error
}

// Image is one that heretic built.
type Image struct {
	ID       string            `json:"id"`
	Tags     []string          `json:"tags"` // none: it was built again since
	Agents   []string          `json:"agents"`
	Versions map[string]string `json:"versions"`
	With     []string          `json:"with,omitempty"`
	Base     string            `json:"base"`
	User     string            `json:"user"` // uid:gid
	Created  time.Time         `json:"created"`
	Size     int64             `json:"size"` // bytes, with the layers that images share
	// Current tells whether a profile's `image: build`, or a name that the
	// user gave, leads to it.
	Current bool `json:"current"`
	// Newer are the agents that this heretic would install in another
	// version.
	Newer []string `json:"newer,omitempty"`
}

// List returns the images that heretic built, the newest first.
func List(ctx context.Context, s Store) ([]Image, error) {
	found, err := s.Images(ctx, LabelRecipe)
	if err != nil {
		return nil, err
	}
	list := make([]Image, 0, len(found))
	for _, f := range found {
		i := Image{
			ID: f.ID, Tags: append([]string{}, f.Tags...), Created: f.Created, Size: f.Size,
			Agents: words(f.Labels[LabelAgents]), With: words(f.Labels[LabelWith]),
			Base: f.Labels[LabelBase], User: f.Labels[LabelUser], Versions: map[string]string{},
		}
		for _, pair := range words(f.Labels[LabelVersions]) {
			agent, version, _ := strings.Cut(pair, "=")
			i.Versions[agent] = version
			if p, ok := lookup(agent); ok && p.Version != version {
				i.Newer = append(i.Newer, agent)
			}
		}
		for _, tag := range f.Tags {
			i.Current = i.Current || !ofContent(tag, f.Labels[LabelRecipe])
		}
		list = append(list, i)
	}
	return list, nil
}

func words(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

// ofContent tells whether a tag is the one that every build makes.
func ofContent(tag, hash string) bool {
	return strings.Contains(tag, "heretic/") && strings.HasSuffix(tag, ":"+hash)
}

// Superseded are the images of the list that were built again since.
func Superseded(list []Image) []Image {
	var old []Image
	for _, i := range list {
		if !i.Current {
			old = append(old, i)
		}
	}
	return old
}

// Remove removes images. Those that a container has are left, and returned.
func Remove(ctx context.Context, s Store, list []Image) (inUse []Image, err error) {
	for _, i := range list {
		refs := i.Tags
		if len(refs) == 0 {
			refs = []string{i.ID}
		}
		for _, ref := range refs {
			err := s.RemoveImage(ctx, ref)
			if errors.Is(err, runner.ErrInUse) {
				inUse = append(inUse, i)
				break
			}
			if err != nil {
				return inUse, err
			}
		}
	}
	return inUse, nil
}
