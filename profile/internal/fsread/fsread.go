// Package fsread reads configuration files that somebody else may have put
// there: only regular files, of bounded size, without waiting on a FIFO.
package fsread

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrTooLarge is wrapped by the error for a file above the limit.
var ErrTooLarge = errors.New("file too large")

// File reads a file, following links.
func File(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	return read(f, path, limit)
}

// Below reads dir/name and never leaves dir, whatever links are on the way.
func Below(dir, name string, limit int64) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		full := filepath.Join(dir, name)
		if strings.Contains(err.Error(), "escapes") {
			return nil, fmt.Errorf("%s: a symbolic link leads out of the project", full)
		}
		return nil, &fs.PathError{Op: "open", Path: full, Err: errors.Unwrap(err)}
	}
	return read(f, filepath.Join(dir, name), limit)
}

// read takes the file over and closes it.
func read(f *os.File, path string, limit int64) ([]byte, error) {
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		return nil, fmt.Errorf("%s: is a directory, not a file", path)
	case !mode.IsRegular():
		return nil, fmt.Errorf("%s: is not a regular file", path)
	case info.Size() > limit:
		return nil, fmt.Errorf("%s: %w: more than %d KiB", path, ErrTooLarge, limit>>10)
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%s: %w: more than %d KiB", path, ErrTooLarge, limit>>10)
	}
	return data, nil
}
