package mcpconf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"heretic/mcpconf/edit"
)

// Update replaces the servers in a file that the agent, or the user, owns and
// keeps all else, byte for byte: those of the same names, and those named in
// opt.Earlier that are gone. A form whose servers are a list gets the list
// anew. Empty content is an empty file; malformed content is a [*FormatError].
func Update(form Form, file string, existing []byte, servers []Server, opt RenderOptions) (Rendered, error) {
	w, err := newWriter(form, servers, opt)
	if err != nil {
		return Rendered{}, err
	}
	if len(bytes.TrimSpace(existing)) == 0 {
		return w.rendered(w.file()), nil
	}
	if w.row.strict && !json.Valid(existing) {
		return Rendered{}, &FormatError{
			Pos:  Pos{File: file},
			text: fmt.Sprintf("%s: not plain JSON, which is all that %s reads", printable(file), form),
			hint: "mend the file: no comments, no trailing commas, no byte-order mark",
		}
	}
	if w.row.syn == yamlSyntax {
		return Rendered{}, &FormatError{Pos: Pos{File: file}, text: fmt.Sprintf("%s: files of %s cannot be updated", printable(file), form)}
	}
	data, err := edit.Apply(file, existing, w.edits()...)
	if err != nil {
		return Rendered{}, editError(file, err)
	}
	return w.rendered(data), nil
}

func (w *writer) edits() []edit.Edit {
	if w.row.list {
		return []edit.Edit{{Key: []string{w.row.key}, Value: w.tree()}}
	}
	ours := make(map[string]bool, len(w.names))
	for _, name := range w.names {
		ours[name] = true
	}
	var edits []edit.Edit
	for _, name := range w.opt.Earlier {
		if !ours[name] {
			edits = append(edits, edit.Edit{Key: []string{w.row.key, name}, Remove: true})
		}
	}
	for i, name := range w.names {
		edits = append(edits, edit.Edit{Key: []string{w.row.key, name}, Value: w.entries[i]})
	}
	return edits
}

func editError(file string, err error) error {
	fe := &FormatError{Pos: Pos{File: file}, reason: err, hint: "mend the file, or delete it"}
	reason := err.Error()
	if e, ok := errors.AsType[*edit.Error](err); ok {
		fe.Pos.Line, fe.Pos.Col, reason = e.Line, e.Col, e.Reason
	}
	fe.text = fmt.Sprintf("%s: %s", fe.Pos, printable(reason))
	return fe
}
