package profile

import (
	"slices"

	"heretic/profile/schema"
)

// Entry is one agent of [Loader.List].
type Entry struct {
	Name        string
	Path        string // of the global profile; "" for one that only the project has
	Local       string // of the project's override; "" when there is none
	Description string
	Image       string
	AgentType   string
	Err         error // why one of its files, or its extends, cannot be used
}

// Skim is List for completion, for which a shell waits: what is in a file is
// read, and not checked.
func (l Loader) Skim() ([]Entry, error) {
	l.unchecked = true
	return l.List()
}

// List returns the global profiles and those that only the project has, by
// name. One that is broken is listed with its error.
func (l Loader) List() ([]Entry, error) {
	locals := l.localNames()
	var entries []Entry
	for _, name := range l.names() {
		e := Entry{Name: name}
		if slices.Contains(locals, name) {
			e.Local = l.LocalPath(name)
		}
		layers, err := l.layers(name, false)
		if err != nil {
			e.Err = err
		}
		for _, lay := range layers {
			if lay.Name == "global" && lay.File == l.GlobalPath(name) {
				e.Path = lay.File
			}
			if lay.Name == "local" {
				e.Local = lay.File
			}
			e.take(lay)
		}
		if e.Err != nil && e.Local == "" {
			e.Path = l.GlobalPath(name)
		}
		if e.AgentType == "" {
			k, _ := schema.Profile().Lookup("agent_type")
			e.AgentType = k.Default
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func (e *Entry) take(lay Layer) {
	for key, to := range map[string]*string{"description": &e.Description, "image": &e.Image, "agent_type": &e.AgentType} {
		if n := lay.get(key); n != nil {
			*to = n.Value
		}
	}
}
