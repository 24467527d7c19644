package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"heretic/session/home"
	"heretic/session/internal/store"
)

// record is what a session remembers from run to run.
type record struct {
	Agent     string   `json:"agent"`
	AgentType string   `json:"agent_type"`
	Image     string   `json:"image"`
	Files     []string `json:"files,omitempty"` // generated, in the session directory

	// Homes are the directories of the agent home that were made; Settings
	// and Servers what was put into its files.
	Homes    []string       `json:"homes,omitempty"`
	Settings []home.Setting `json:"settings,omitempty"`
	Servers  []string       `json:"servers,omitempty"`
	// Parents are the folders above Homes that the image does not have.
	Parents []string `json:"parents,omitempty"`
}

const recordName = "session.json"

// readRecord returns the zero record for a session that does not exist.
func readRecord(st *store.Store, session string) (record, error) {
	var r record
	data, err := st.Read(path.Join(session, recordName))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		return r, withHint("heretic prune --sessions", "session %q: %w", session, fmt.Errorf("%s: %w", recordName, err))
	}
	return r, nil
}

func writeRecord(st *store.Store, session string, r record) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return st.Write(path.Join(session, recordName), append(data, '\n'), 0o600)
}

// equal compares records as they are written.
func (r record) equal(other record) bool {
	a, errA := json.Marshal(r)
	b, errB := json.Marshal(other)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}
