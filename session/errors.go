package session

import "fmt"

// hinted is an error with what to type next.
type hinted struct {
	err  error
	hint string
}

func (e *hinted) Error() string { return e.err.Error() }
func (e *hinted) Unwrap() error { return e.err }

// Hint is what to type next.
func (e *hinted) Hint() string { return e.hint }

func withHint(hint, format string, args ...any) error {
	return &hinted{err: fmt.Errorf(format, args...), hint: hint}
}

// LiveError tells that the session has a live container, or that another
// heretic is starting one at this moment.
type LiveError struct {
	Session, Agent string
	// Starting is set while another heretic prepares the container.
	Starting bool
}

func (e *LiveError) Error() string {
	if e.Starting {
		return fmt.Sprintf("session %q is being started by another heretic", e.Session)
	}
	return fmt.Sprintf("session %q is already running in this project", e.Session)
}

// Hint offers the two ways on.
func (e *LiveError) Hint() string {
	agent := e.Agent
	if agent == "" {
		agent = e.Session
	}
	return fmt.Sprintf("heretic attach %s  (join it), or  heretic run %s -s NAME  (a second session)", e.Session, agent)
}

// OtherAgentError tells that the session belongs to another agent.
type OtherAgentError struct{ Session, Owner, Agent string }

func (e *OtherAgentError) Error() string {
	return fmt.Sprintf("session %q belongs to agent %q", e.Session, e.Owner)
}

// Hint offers another session name.
func (e *OtherAgentError) Hint() string {
	return fmt.Sprintf("heretic run %s -s NAME", e.Agent)
}
