package session

import "heretic/session/internal/store"

// Prepare makes the folder of a project's session files (.heretic/temp), which
// git does not see. A launch does it by itself.
func Prepare(project string) error {
	st, err := store.Open(project)
	if err != nil {
		return err
	}
	st.Close()
	return nil
}
