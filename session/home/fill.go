package home

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"heretic/runner"
)

// Seed is a file that a new home gets unless the image has it.
type Seed struct {
	Name string // below the home
	Data []byte
}

// Fill says how new agent homes are made.
type Fill struct {
	// Dirs, below the home, are made; each has the content that the first of
	// the image's Homes that has one gives it.
	Dirs  []string
	Homes []string
	User  User // who owns everything in them
	Seeds []Seed
	// Host is the existing host directory that holds the homes, Spool an
	// empty file for what is on its way from the image.
	Host  string
	Spool *os.File
	// Missing is set by Make: the folders above Dirs that the image does not
	// have below the first of its Homes.
	Missing []string
}

// mountedHome is where a helper container has the host's directory.
const mountedHome = "/heretic-home"

// Make makes new agent homes as engines fill a new volume: with what the image
// has there. It works through a container that is never started, so that the
// files get the owner that the container's user is, also where the user of
// heretic could not give them away.
func (f *Fill) Make(ctx context.Context, eng Engine, helper runner.Spec) error {
	return throwAway(ctx, eng, helper, f.Host, func(id string) (err error) {
		// An engine serves one archive call of a container at a time.
		if f.Missing, err = missingParents(ctx, eng, id, f.Homes[0], f.Dirs); err != nil {
			return fmt.Errorf("look at the home in the image: %w", err)
		}
		if err := f.collect(ctx, eng, id); err != nil {
			return fmt.Errorf("copy the agent's home from the image: %w", err)
		}
		if _, err := f.Spool.Seek(0, io.SeekStart); err != nil {
			return err
		}
		return eng.CopyTo(ctx, id, mountedHome, f.Spool)
	})
}

// Clear turns a directory below a host's one into an empty file, whoever owns
// what is in it: the engine replaces the one by the other.
func Clear(ctx context.Context, eng Engine, helper runner.Spec, host, dir string) (err error) {
	var b bytes.Buffer
	tw := tar.NewWriter(&b)
	h := tar.Header{Name: dir, Typeflag: tar.TypeReg, Mode: 0o600, Uid: max(os.Getuid(), 0), Gid: max(os.Getgid(), 0)}
	if err := errors.Join(tw.WriteHeader(&h), tw.Close()); err != nil {
		return err
	}
	return throwAway(ctx, eng, helper, host, func(id string) error { return eng.CopyTo(ctx, id, mountedHome, &b) })
}

// throwAway runs use with a helper container that has the host's directory at
// mountedHome.
func throwAway(ctx context.Context, eng Engine, helper runner.Spec, host string, use func(id string) error) (err error) {
	helper.Mounts = []runner.Mount{{Type: runner.Bind, Source: host, Target: mountedHome}}
	id, err := eng.Create(ctx, helper)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, eng.Remove(context.WithoutCancel(ctx), id)) }()
	return use(id)
}

// collect writes the homes to the spool, as a tar archive.
func (f *Fill) collect(ctx context.Context, eng Engine, id string) error {
	w := &archive{tw: tar.NewWriter(f.Spool), user: f.User, seen: map[string]bool{}}
	for _, dir := range f.Dirs {
		if err := w.parents(dir); err != nil {
			return err
		}
		if err := f.copyDir(ctx, eng, id, dir, w); err != nil {
			return err
		}
		if err := w.dir(dir, 0o700); err != nil {
			return err
		}
	}
	for _, s := range f.Seeds {
		if w.seen[s.Name] {
			continue
		}
		if err := w.parents(s.Name); err != nil {
			return err
		}
		if err := w.file(s.Name, s.Data); err != nil {
			return err
		}
	}
	return w.tw.Close()
}

func (f *Fill) copyDir(ctx context.Context, eng Engine, id, dir string, w *archive) error {
	for _, home := range f.Homes {
		rc, err := eng.CopyFrom(ctx, id, path.Join(home, dir)+"/.")
		if errors.Is(err, runner.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		err = w.copy(dir, rc)
		return errors.Join(err, rc.Close())
	}
	return nil
}

// archive writes files that all belong to one user.
type archive struct {
	tw   *tar.Writer
	user User
	seen map[string]bool
}

func (w *archive) header(h tar.Header) error {
	w.seen[h.Name] = true
	if h.Typeflag == tar.TypeDir {
		h.Name += "/"
	}
	h.Uid, h.Gid = w.user.UID, w.user.GID
	return w.tw.WriteHeader(&h)
}

func (w *archive) dir(name string, mode fs.FileMode) error {
	if w.seen[name] {
		return nil
	}
	return w.header(tar.Header{Name: name, Typeflag: tar.TypeDir, Mode: int64(mode)})
}

// parents makes the folders above a name.
func (w *archive) parents(name string) error {
	up := path.Dir(name)
	if up == "." {
		return nil
	}
	if err := w.parents(up); err != nil {
		return err
	}
	return w.dir(up, 0o700)
}

func (w *archive) file(name string, data []byte) error {
	err := w.header(tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o600, Size: int64(len(data))})
	if err == nil {
		_, err = w.tw.Write(data)
	}
	return err
}

// copy takes over the content of a directory that the engine sent.
func (w *archive) copy(dir string, content io.Reader) error {
	tr := tar.NewReader(content)
	for {
		h, err := tr.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if !filepath.IsLocal(h.Name) {
			return fmt.Errorf("the image's archive holds %q", h.Name)
		}
		own := tar.Header{Name: path.Join(dir, h.Name), Typeflag: h.Typeflag, Mode: h.Mode, Size: h.Size, ModTime: h.ModTime}
		switch h.Typeflag {
		case tar.TypeDir:
			own.Mode |= 0o700
		case tar.TypeReg:
		case tar.TypeSymlink:
			own.Linkname = h.Linkname
		case tar.TypeLink:
			own.Linkname = path.Join(dir, h.Linkname)
		default:
			continue // sockets and devices are nobody's settings
		}
		if w.seen[own.Name] {
			continue
		}
		if err := w.header(own); err != nil {
			return err
		}
		if _, err := io.Copy(w.tw, tr); err != nil {
			return err
		}
	}
}
