// Package store keeps what heretic writes below a project: the folder
// .heretic/temp with one directory for each session, its locks, and the record
// of the placeholders in the work tree. Nothing is written through a symbolic
// link, and nothing outside the project.
package store

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"heretic/session/internal/regular"
)

// MaxFile bounds what is read of a file of the project into memory.
const MaxFile = 16 << 20

// Store is an open .heretic/temp.
type Store struct {
	dir      string // of the project
	root     *os.Root
	temp     *os.Root
	uid, gid int // who should own what is made; -1: as it comes
}

// LinkError tells that a symbolic link stands where heretic would write.
type LinkError struct{ Path string }

func (e *LinkError) Error() string {
	return fmt.Sprintf("%q is a symbolic link; heretic writes only to real folders below the project", e.Path)
}

// Hint tells how to go on.
func (e *LinkError) Hint() string { return "remove the link, or look at where it points first" }

// Open opens the store of a project and makes it where it does not exist.
func Open(project string) (*Store, error) { return open(project, true) }

// OpenExisting returns nil where the project has no store.
func OpenExisting(project string) (*Store, error) {
	s, err := open(project, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return s, err
}

func open(project string, create bool) (*Store, error) {
	root, err := os.OpenRoot(project)
	if err != nil {
		return nil, err
	}
	s := &Store{dir: project, root: root, uid: -1, gid: -1}
	if os.Geteuid() == 0 {
		if fi, err := root.Stat("."); err == nil {
			s.uid, s.gid = Owner(fi)
		}
	}
	if err := s.openTemp(create); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Store) openTemp(create bool) error {
	const heretic, temp = ".heretic", ".heretic/temp"
	for _, d := range []struct {
		name string
		mode fs.FileMode
	}{{heretic, 0o755}, {temp, 0o700}} {
		fi, err := s.root.Lstat(d.name)
		if errors.Is(err, fs.ErrNotExist) && create {
			if err = s.root.Mkdir(d.name, d.mode); err == nil || errors.Is(err, fs.ErrExist) {
				s.own(s.root, d.name)
				fi, err = s.root.Lstat(d.name)
			}
		}
		if err != nil {
			return s.wrapRoot(err)
		}
		if err := isDir(fi, filepath.Join(s.dir, d.name)); err != nil {
			return err
		}
	}
	t, err := s.root.OpenRoot(temp)
	if err != nil {
		return s.wrapRoot(err)
	}
	// Between the look and the opening it may have become a link.
	opened, err := t.Stat(".")
	named, err2 := s.root.Lstat(temp)
	if err := errors.Join(err, err2); err != nil {
		t.Close()
		return err
	}
	if !os.SameFile(opened, named) {
		t.Close()
		return &LinkError{filepath.Join(s.dir, temp)}
	}
	s.temp = t
	if !create {
		return nil
	}
	if opened.Mode().Perm() != 0o700 {
		if err := t.Chmod(".", 0o700); err != nil {
			return s.wrap(err)
		}
	}
	return s.writeIgnore()
}

// writeIgnore writes the .gitignore that keeps all of this out of git.
func (s *Store) writeIgnore() error {
	const name = ".gitignore"
	fi, err := s.temp.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err := s.Write(name, []byte("*\n"), 0o644)
		if fi, there := s.temp.Lstat(name); err != nil && there == nil && fi.Mode().IsRegular() {
			// Somebody else was faster: Windows does not replace an open file.
			return nil
		}
		return err
	case err != nil:
		return s.wrap(err)
	case fi.Mode()&fs.ModeSymlink != 0:
		return &LinkError{s.Path(name)}
	}
	return nil
}

// Close closes the store. Locks live on.
func (s *Store) Close() {
	if s.temp != nil {
		s.temp.Close()
	}
	s.root.Close()
}

// Path is the host's path of a name in the store.
func (s *Store) Path(name ...string) string {
	return filepath.Join(s.dir, ".heretic", "temp", filepath.Join(name...))
}

// Temp is the open .heretic/temp.
func (s *Store) Temp() *os.Root { return s.temp }

// MakeSession makes the directory of a session and tells whether it is new.
func (s *Store) MakeSession(session string) (created bool, err error) {
	_, err = s.temp.Lstat(session)
	created = errors.Is(err, fs.ErrNotExist)
	return created, s.Mkdir(session)
}

// Mkdir makes a folder of mode 0700; one that is there already is fine.
func (s *Store) Mkdir(name string) error {
	err := s.temp.Mkdir(name, 0o700)
	if err == nil {
		s.own(s.temp, name)
		return nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return s.wrap(err)
	}
	fi, err := s.temp.Lstat(name)
	if err != nil {
		return s.wrap(err)
	}
	return isDir(fi, s.Path(name))
}

// Write replaces a file of the store in one step, unless it is that already.
func (s *Store) Write(name string, data []byte, mode fs.FileMode) (err error) {
	if s.has(name, data, mode) {
		return nil
	}
	tmp := path.Join(path.Dir(name), ".new-"+rand.Text())
	f, err := s.temp.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return s.wrap(err)
	}
	defer func() {
		if err != nil {
			err = s.wrap(errors.Join(err, s.temp.Remove(tmp)))
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode) // whatever the umask took away
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	s.own(s.temp, tmp)
	return s.temp.Rename(tmp, name)
}

// has tells whether a file is there as Write would make it.
func (s *Store) has(name string, data []byte, mode fs.FileMode) bool {
	fi, err := s.temp.Lstat(name)
	if err != nil || fi.Mode() != mode || fi.Size() != int64(len(data)) {
		return false
	}
	if uid, _ := Owner(fi); s.uid > 0 && uid != s.uid {
		return false
	}
	there, err := ReadRegular(s.temp, name)
	return err == nil && bytes.Equal(there, data)
}

// Read returns a regular file of the store; fs.ErrNotExist when it is absent.
func (s *Store) Read(name string) ([]byte, error) {
	data, err := ReadRegular(s.temp, name)
	return data, s.wrap(err)
}

// Remove removes a file of the store if it is there.
func (s *Store) Remove(name string) error {
	err := s.temp.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return s.wrap(err)
}

// RemoveSession removes the directory of a session with all it holds.
func (s *Store) RemoveSession(session string) error {
	if err := s.temp.RemoveAll(session); err != nil {
		return s.wrap(err)
	}
	return s.Remove(path.Join(lockDir, session))
}

// Sessions returns the names of the session directories, sorted.
func (s *Store) Sessions() ([]string, error) {
	entries, err := fs.ReadDir(s.temp.FS(), ".")
	if err != nil {
		return nil, s.wrap(err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && e.Name()[0] != '.' {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// own gives a new file to the project's owner when root works for somebody
// else. Failing to is not worth an error: the file is usable as it is.
func (s *Store) own(r *os.Root, name string) {
	if s.uid > 0 {
		_ = r.Lchown(name, s.uid, s.gid)
	}
}

func (s *Store) wrap(err error) error { return wrapPath(err, s.Path()) }

func (s *Store) wrapRoot(err error) error { return wrapPath(err, s.dir) }

// wrapPath gives an error of a root its full path.
func wrapPath(err error, dir string) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		name := pe.Path
		if !filepath.IsAbs(name) { // what reading a directory says is
			name = filepath.Join(dir, name)
		}
		return fmt.Errorf("cannot %s %q: %w", verb(pe.Op), name, pe.Err)
	}
	return err
}

// verb turns the call in an error into a word for people.
func verb(op string) string {
	switch op {
	case "openat", "lstatat", "statat":
		return "open"
	case "readdirent", "fdopendir":
		return "read"
	case "mkdirat":
		return "make"
	case "unlinkat":
		return "remove"
	}
	return op
}

func isDir(fi fs.FileInfo, name string) error {
	switch {
	case fi.Mode()&fs.ModeSymlink != 0:
		return &LinkError{name}
	case !fi.IsDir():
		return fmt.Errorf("%q is not a folder", name)
	}
	return nil
}

// ReadRegular reads a file of at most [MaxFile] bytes and refuses whatever is
// not a regular one (a FIFO would block).
func ReadRegular(r *os.Root, name string) ([]byte, error) {
	return regular.ReadIn(r, name, MaxFile)
}
