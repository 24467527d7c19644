package profile

import (
	"strings"
	"testing"
)

func TestCheckName(t *testing.T) {
	for name, ok := range map[string]bool{
		"a": true, "claude": true, "Feature-X_1.2": true, strings.Repeat("a", 63): true, strings.Repeat("a", 64): false,
		"": false, "../x": false, ".x": false, "-x": false, "a/b": false, "a b": false, "a\n": false, "a\x00": false, "é": false,
	} {
		if err := CheckName("session", name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}
