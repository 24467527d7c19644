package cmd

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/shlex"

	"heretic/profile"
	"heretic/runner"
	"heretic/session"
)

// splitFlag splits the value of a flag into words, as a shell does.
func splitFlag(flag, value string) ([]string, error) {
	if value == "" {
		return nil, nil
	}
	words, err := shlex.Split(value)
	if err != nil {
		return nil, &usageError{fmt.Errorf("%s %q: a quote is not closed", flag, value), ""}
	}
	return words, nil
}

// envFlags turns the values of -e into NAME=value; a bare NAME takes the
// host's value and is left out when there is none.
func (a *App) envFlags(values []string) []string {
	var env []string
	for _, v := range values {
		name, _, given := strings.Cut(v, "=")
		if given {
			env = append(env, v)
		} else if host, ok := a.Lookup(name); ok {
			env = append(env, name+"="+host)
		}
	}
	return env
}

// keyFlag is a string that is held to the rules of a profile's key.
type keyFlag struct {
	key  string
	into *string
}

func (f *keyFlag) String() string { return "" }
func (f *keyFlag) Type() string   { return "string" }

func (f *keyFlag) Set(s string) error {
	*f.into = s
	return checkKey(f.key, s)
}

// keyListFlag is a list of such strings.
type keyListFlag struct {
	key  string
	into *[]string
}

func (f *keyListFlag) String() string { return "" }
func (f *keyListFlag) Type() string   { return "stringArray" }

func (f *keyListFlag) Set(s string) error {
	*f.into = append(*f.into, s)
	return checkKey(f.key, s)
}

func checkKey(key, value string) error {
	return profile.Loader{CheckValue: session.CheckValue}.CheckKey(key, value)
}

// envFlag is a list of variables: NAME=value, or NAME for the host's value.
type envFlag []string

func (f *envFlag) String() string { return "" }
func (f *envFlag) Type() string   { return "stringArray" }

func (f *envFlag) Set(s string) error {
	if name, _, _ := strings.Cut(s, "="); name == "" {
		return errors.New("want NAME=value or NAME")
	}
	*f = append(*f, s)
	return checkKey("env", s)
}

// tailFlag is a number of lines, or "all".
type tailFlag string

func (f *tailFlag) String() string { return string(*f) }
func (f *tailFlag) Type() string   { return "string" }

func (f *tailFlag) Set(s string) error {
	if _, err := strconv.ParseUint(s, 10, 32); err != nil && s != "all" {
		return errors.New("want a number of lines, or all")
	}
	*f = tailFlag(s)
	return nil
}

// sinceFlag is a time, or a duration back from now.
type sinceFlag string

func (f *sinceFlag) String() string { return string(*f) }
func (f *sinceFlag) Type() string   { return "string" }

func (f *sinceFlag) Set(s string) error {
	*f = sinceFlag(s)
	return runner.CheckSince(s)
}

// graceFlag is a duration; a bare number is seconds, as for docker.
type graceFlag time.Duration

func (f *graceFlag) String() string { return time.Duration(*f).String() }
func (f *graceFlag) Type() string   { return "duration" }

func (f *graceFlag) Set(s string) error {
	d, err := time.ParseDuration(s)
	if n, intErr := strconv.ParseInt(s, 10, 32); intErr == nil {
		d, err = time.Duration(n)*time.Second, nil
	}
	if err != nil || d < 0 {
		return errors.New("want seconds, or a duration like 2m")
	}
	*f = graceFlag(d)
	return nil
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
