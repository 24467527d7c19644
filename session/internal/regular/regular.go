// Package regular opens files that somebody hostile may exchange at any time:
// what is not a regular file is refused, and no open waits for one.
package regular

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// ErrTooLarge is wrapped by the error for a file above the limit.
var ErrTooLarge = errors.New("too large")

// ErrOther is wrapped by the error for what is no regular file.
var ErrOther = errors.New("not a regular file")

// Read reads a file, and does not follow a link in its last component.
func Read(name string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|nonblock|nofollow, 0)
	if isLink(err) {
		return nil, &fs.PathError{Op: "read", Path: name, Err: ErrOther}
	} else if err != nil {
		return nil, err
	}
	return read(f, name, limit)
}

// ReadIn reads a file below a root, links followed.
func ReadIn(r *os.Root, name string, limit int64) ([]byte, error) {
	f, err := r.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	return read(f, name, limit)
}

// read takes the file over and closes it.
func read(f *os.File, name string, limit int64) ([]byte, error) {
	defer f.Close()
	fail := func(err error) ([]byte, error) { return nil, &fs.PathError{Op: "read", Path: name, Err: err} }
	switch info, err := f.Stat(); {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return fail(ErrOther)
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		return fail(ErrTooLarge)
	}
	return data, err
}
