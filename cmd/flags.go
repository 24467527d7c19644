package cmd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/shlex"
)

// splitFlag splits the value of a flag into words, as a shell does.
func splitFlag(flag, value string) ([]string, error) {
	if value == "" {
		return nil, nil
	}
	words, err := shlex.Split(value)
	if err != nil {
		return nil, &usageError{fmt.Errorf("%s: %w", flag, err), ""}
	}
	return words, nil
}

// envFlags turns the values of -e into NAME=value; a bare NAME takes the
// host's value and is left out when there is none.
func (a *App) envFlags(values []string) ([]string, error) {
	var env []string
	for _, v := range values {
		name, _, given := strings.Cut(v, "=")
		if name == "" {
			return nil, &usageError{fmt.Errorf("-e %q: want NAME=value or NAME", v), ""}
		}
		if given {
			env = append(env, v)
		} else if host, ok := a.Lookup(name); ok {
			env = append(env, name+"="+host)
		}
	}
	return env, nil
}

// wordFlag is a string that may not be empty: "$F" is, where F is not set.
type wordFlag string

func (w *wordFlag) String() string { return string(*w) }

func (w *wordFlag) Type() string { return "string" }

func (w *wordFlag) Set(s string) error {
	if s == "" {
		return errors.New("it is empty")
	}
	*w = wordFlag(s)
	return nil
}
