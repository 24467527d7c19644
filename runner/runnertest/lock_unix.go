//go:build unix

package runnertest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// errInUse tells that another test process holds a lock.
var errInUse = errors.New("in use by another test run")

// The locks of this user's test processes, one pair for each engine. Whoever
// uses the images holds inUse, shared; [Clean] takes it alone. Whoever builds
// one holds building, alone.
const (
	inUse    = "use"
	building = "build"
)

// lock waits for a lock and returns what gives it back.
func lock(addr, name string, how int) (unlock func() error, err error) {
	file := fmt.Sprintf("heretic-test-%d-%.6x.%s.lock", os.Getuid(), sha256.Sum256([]byte(addr)), name)
	f, err := os.OpenFile(filepath.Join(os.TempDir(), file), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		switch err := syscall.Flock(int(f.Fd()), how); err {
		case nil:
			return f.Close, nil
		case syscall.EINTR:
		case syscall.EWOULDBLOCK:
			f.Close()
			return nil, errInUse
		default:
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
		}
	}
}

func share(addr string) (func() error, error) { return lock(addr, inUse, syscall.LOCK_SH) }
func alone(addr string) (func() error, error) {
	return lock(addr, inUse, syscall.LOCK_EX|syscall.LOCK_NB)
}
func builder(addr string) (func() error, error) { return lock(addr, building, syscall.LOCK_EX) }
