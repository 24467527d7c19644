package store

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"time"
)

const (
	projectLock = ".lock"
	lockDir     = ".locks"
)

// Lock is a held lock.
type Lock struct{ f *os.File }

// Unlock releases the lock. It may be called more than once.
func (l *Lock) Unlock() {
	if l != nil && l.f != nil {
		l.f.Close()
		l.f = nil
	}
}

// LockProject waits for the lock under which sessions are entered and left,
// and placeholders made and removed. It is held for moments only.
func (s *Store) LockProject(ctx context.Context) (*Lock, error) {
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		l, err := s.tryLockFile(projectLock)
		if l != nil || err != nil {
			return l, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

// TryLockSession takes the lock that a heretic holds while it starts the
// session's container; nil when another holds it. Call it under the project's
// lock, so that [Store.Starting] is never mistaken for a start.
func (s *Store) TryLockSession(session string) (*Lock, error) {
	if err := s.Mkdir(lockDir); err != nil {
		return nil, err
	}
	return s.tryLockFile(path.Join(lockDir, session))
}

// Starting tells which sessions another heretic is starting at this moment.
// Call it under the project's lock.
func (s *Store) Starting() (map[string]bool, error) {
	entries, err := fs.ReadDir(s.temp.FS(), lockDir)
	if err != nil && !os.IsNotExist(err) {
		return nil, s.wrap(err)
	}
	starting := map[string]bool{}
	for _, e := range entries {
		l, err := s.tryLockFile(path.Join(lockDir, e.Name()))
		if err != nil {
			return nil, err
		}
		if l == nil {
			starting[e.Name()] = true
		}
		l.Unlock()
	}
	return starting, nil
}

func (s *Store) tryLockFile(name string) (*Lock, error) {
	for {
		f, err := s.temp.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, s.wrap(err)
		}
		ok, err := tryLock(f)
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("cannot lock %s: %w", s.Path(name), err)
		}
		if !ok {
			f.Close()
			return nil, nil
		}
		// The file may have been removed between opening and locking.
		held, err1 := f.Stat()
		named, err2 := s.temp.Stat(name)
		if err1 == nil && err2 == nil && os.SameFile(held, named) {
			return &Lock{f}, nil
		}
		f.Close()
	}
}
