package profile

import (
	"fmt"

	"github.com/google/shlex"
	"gopkg.in/yaml.v3"
)

// words resolves a command: a list as it is, a string split as a shell would.
// Variables are replaced after splitting, so that a value with a space stays
// one word.
func (r *resolver) words(path string) []string {
	v, ok := r.m.Get(path)
	if !ok || v.Node.Kind == yaml.SequenceNode {
		return r.strings(path)
	}
	words, err := splitWords(v.Node.Value)
	if err != nil {
		r.fail(v, path, v.Node, err)
		return nil
	}
	out := make([]string, 0, len(words))
	secret := false
	for _, w := range words {
		n := *v.Node
		n.Value = w
		if s, ok := r.expand(v, path, &n); ok {
			out = append(out, s)
			secret = secret || r.tainted
		}
	}
	r.origin(path, fmt.Sprintf("%q", out), secret, v.Origin())
	return out
}

// splitWords splits as a shell does, with quotes and backslashes.
func splitWords(s string) ([]string, error) {
	words, err := shlex.Split(s)
	if err != nil {
		return nil, fmt.Errorf("a quote is not closed")
	}
	return words, nil
}
