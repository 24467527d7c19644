package runner

import "regexp"

// RefusedError is returned by Create, and within what Run returns, when an
// engine refuses the value of a field of the Spec.
type RefusedError struct {
	Field string // of Spec
	Err   error
	hint  string
}

func (e *RefusedError) Error() string { return e.Err.Error() }

// Unwrap returns the engine's error.
func (e *RefusedError) Unwrap() error { return e.Err }

// Hint says what to do about it; it may be empty.
func (e *RefusedError) Hint() string { return e.hint }

const takenPort = "another session or program has the port: heretic ps --all; a port without the host's (\"80\") lets the engine choose a free one"

// refusalText is a pattern of an engine's answer and the field that such an
// answer is about.
type refusalText struct{ pattern, field, hint string }

// refusalTexts is the table: the first row that matches is taken.
func refusalTexts() []refusalText {
	return []refusalText{
		{`port is already allocated|address already in use`, "Ports", takenPort},
		{`conflicting options: port`, "Ports", ""},
		{`conflicting options: dns`, "DNS", ""},
		{`conflicting options: custom host-to-IP`, "AddHosts", ""},
		{`conflicting options: hostname`, "Hostname", ""},
		{`could not select device driver`, "GPUs", "the engine has no driver for GPUs: install the NVIDIA container toolkit, or leave extra.gpus out"},
		{`gathering device information|stat /dev/`, "Devices", ""},
		{`unknown capability`, "CapAdd", "`man 7 capabilities` has the names there are"},
		{`--security-opt|seccomp profile|apparmor profile`, "SecurityOpt", ""},
		{`memory limit`, "Memory", ""},
		{`range of CPUs`, "CPUs", ""},
		{`setting rlimit`, "Ulimits", ""},
		{`unable to find (user|group)`, "User", ""},
		{`network \S+ not found|unable to find network`, "Network", "`docker network ls` shows the networks there are"},
	}
}

// refused finds the field that an engine's answer is about, or returns nil.
func refused(err error) *RefusedError {
	for _, t := range refusalTexts() {
		if ok, _ := regexp.MatchString("(?i)"+t.pattern, err.Error()); ok {
			return &RefusedError{Field: t.field, Err: &daemonError{err}, hint: t.hint}
		}
	}
	return nil
}
