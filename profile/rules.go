package profile

import (
	"errors"
	"fmt"
	"path"
	"strings"
)

// rules are what values must satisfy that a launch would refuse otherwise.
// They hold for text without variables when a file is validated, and for every
// value when it is resolved.
type rules struct {
	engine func(path, value string) error // [Loader.CheckValue]
}

// CheckKey holds one value of a key, without variables, to what a launch asks
// of it: an element where the key takes a list.
func (l Loader) CheckKey(path, value string) error { return rules{l.CheckValue}.check(path, value) }

// check is about one value of a key: the whole of a scalar, an element of a
// list.
func (c rules) check(key, value string) error {
	if err := checkText(value); err != nil {
		return err
	}
	switch {
	case value == "":
		return nil
	case key == "volumes":
		return checkVolume(value)
	case key == "workdir" && !path.IsAbs(value):
		return &hinted{fmt.Errorf("the directory %q is not an absolute path", value), "it is a path in the container, where the project is at /workspace, or at what ${WORKSPACE} says in a profile"}
	case c.engine != nil:
		return c.engine(key, value)
	}
	return nil
}

// checkText refuses what no engine and no program can be given.
func checkText(value string) error {
	if strings.ContainsRune(value, 0) {
		return errors.New("there is a NUL character in it")
	}
	return nil
}

// checkName is about a name that the user chose in a map.
func checkName(key, name string) error {
	if key == "extra.labels" && strings.HasPrefix(name, "heretic.") {
		return errors.New("labels that start with heretic. are reserved")
	}
	return nil
}

// checkTarget cleans a path in the container where something is mounted.
func checkTarget(target string) (string, error) {
	clean := path.Clean(target)
	switch {
	case !path.IsAbs(clean):
		return "", fmt.Errorf("the target %q is not an absolute path", target)
	case clean == "/":
		return "", errors.New("the target cannot be /")
	}
	return clean, nil
}

func sameTarget(target, first string) error {
	return fmt.Errorf("%s is the target of %s already", target, first)
}

// checkVolumeName applies the engine's rule for named volumes.
func checkVolumeName(name string) error {
	if len(name) < 2 {
		return fmt.Errorf("the volume name %q is too short: at least two characters", name)
	}
	for i, c := range name {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && (i == 0 || !strings.ContainsRune("_.-", c)) {
			return &hinted{fmt.Errorf("%q is not a volume name: letters, digits, _ . - and a letter or digit first", name), "a path begins with / ./ or ~/, so for the one of that name: ./" + name}
		}
	}
	return nil
}
