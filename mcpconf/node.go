package mcpconf

import (
	"gopkg.in/yaml.v3"

	"heretic/mcpconf/internal/doc"
)

// NodeOf writes servers, disabled ones too, as the list that a profile's `mcp`
// holds, values as they are. [ParseNode] reads it back.
func NodeOf(servers []Server) *yaml.Node {
	row, err := rowOf(Heretic)
	if err != nil {
		panic(err) // the row is in the table above
	}
	w := &writer{row: row, verbatim: true}
	list := doc.List()
	for _, s := range servers {
		n, err := w.server(s)
		if err != nil {
			panic(err) // the form writes every transport
		}
		if s.Disabled {
			doc.Set(n, "disabled", doc.Bool(true))
		}
		list.Content = append(list.Content, n)
	}
	return list
}
