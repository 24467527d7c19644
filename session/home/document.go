package home

import "heretic/mcpconf/edit"

// document is a file that the agent owns, JSON or TOML, of which all that is
// not set stays as it is.
type document struct {
	where string // its name, for messages
	data  []byte
}

func (f *document) get(key []string) (any, bool, error) {
	return edit.Get(f.where, f.data, key)
}

func (f *document) set(key []string, value any) error {
	return f.apply(edit.Edit{Key: key, Value: value})
}

func (f *document) delete(key []string) error {
	return f.apply(edit.Edit{Key: key, Remove: true})
}

func (f *document) apply(e edit.Edit) error {
	data, err := edit.Apply(f.where, f.data, e)
	if err == nil {
		f.data = data
	}
	return err
}
