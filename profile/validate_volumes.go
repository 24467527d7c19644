package profile

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"heretic/profile/internal/expand"
)

func (c *checker) volumes(n *yaml.Node) {
	if n == nil || n.Kind != yaml.SequenceNode {
		return
	}
	targets := map[string]string{}
	for i, item := range n.Content {
		path := fmt.Sprintf("volumes[%d]", i)
		target, err := writtenTarget(item)
		if err == nil && target != "" {
			target, err = checkTarget(target)
		}
		if first, ok := targets[target]; ok && err == nil && target != "" {
			err = sameTarget(target, first)
		}
		if err != nil {
			c.fail(item, path, err)
			continue
		}
		targets[target] = path
	}
}

// checkVolume is about the form of one entry that is text.
func checkVolume(text string) error {
	target, err := writtenTarget(&yaml.Node{Kind: yaml.ScalarNode, Value: text})
	if err == nil && target != "" {
		_, err = checkTarget(target)
	}
	return err
}

// writtenTarget is the target of an entry of volumes, empty when it has
// variables or is none; the error is about the form of the entry.
func writtenTarget(item *yaml.Node) (target string, err error) {
	source, access := "", ""
	switch item.Kind {
	case yaml.ScalarNode:
		if _, sole := expand.Sole(item.Value); sole {
			return "", nil
		}
		if source, target, access, err = splitVolume(item.Value); err != nil {
			return "", err
		}
	case yaml.MappingNode:
		s, t := child(item, "source"), child(item, "target")
		if s == nil || t == nil || t.Kind != yaml.ScalarNode {
			return "", nil // said already
		}
		source, target = s.Value, t.Value
	}
	if !strings.Contains(access, "${") {
		if _, err := readOnly(access); err != nil {
			return "", err
		}
	}
	if isVolumeName(source) && !strings.Contains(source, "${") {
		if err := checkVolumeName(source); err != nil {
			return "", err
		}
	}
	if strings.Contains(target, "${") {
		return "", nil
	}
	return target, nil
}
