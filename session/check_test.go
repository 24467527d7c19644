package session

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"heretic/profile"
	"heretic/runner"
)

// The keys that a field of a Spec is said to come from are keys of a profile.
func TestKeyOf(t *testing.T) {
	known := 0
	for _, field := range reflect.VisibleFields(reflect.TypeFor[runner.Spec]()) {
		key := KeyOf(field.Name)
		if key == "" {
			continue
		}
		known++
		if !slices.ContainsFunc(profile.Schema(), func(k profile.Key) bool { return k.Path == key }) || !strings.HasPrefix(key, "extra.") {
			t.Errorf("%s: %q is no key", field.Name, key)
		}
	}
	if known < 12 {
		t.Errorf("only %d keys are known", known)
	}
}
