package schema

import (
	"fmt"

	"github.com/docker/go-units"
)

// Bytes reads a size as docker run does: bytes, or a number with a binary
// unit (k, m, g, t).
func Bytes(s string) (int64, error) {
	n, err := units.RAMInBytes(s)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("%q is not a size", s)
	}
	return n, nil
}
