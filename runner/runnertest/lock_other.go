//go:build !unix

package runnertest

import "errors"

var errInUse = errors.New("in use by another test run")

// Engine tests run on a Unix host.
func share(string) (func() error, error)   { return nil, errors.ErrUnsupported }
func alone(string) (func() error, error)   { return nil, errors.ErrUnsupported }
func builder(string) (func() error, error) { return nil, errors.ErrUnsupported }
