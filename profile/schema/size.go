package schema

import (
	"fmt"
	"math"
	"strconv"

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

// Decimal reads a number above zero.
func Decimal(s string) (float64, error) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) || f <= 0 || f > 1e6 {
		return 0, fmt.Errorf("%q is not a number above zero", s)
	}
	return f, nil
}
