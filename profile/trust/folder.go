package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"heretic/mcpconf"
	"heretic/profile/internal/fsread"
)

// Limits of what is looked at in a folder. Above them it has no digest that
// could be approved.
const (
	maxFiles  = 2000
	maxBytes  = 16 << 20
	maxScript = 64 << 20
)

// Folder returns what the project has that an agent obeys once the workspace
// is trusted: the paths of the target's row that exist, each with a digest of
// its content. Trust may be set inside when all of them are approved, or none
// exists.
func Folder(project string, activates []string) ([]Power, error) {
	root, err := os.OpenRoot(project)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var powers []Power
	for _, name := range activates {
		if _, err := root.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		what := "is obeyed by the agent once the folder is trusted"
		digest, err := treeDigest(root, name)
		if err != nil {
			what += " (" + err.Error() + ")"
		}
		p := newPower(FolderKind, name, what, digest, mcpconf.Pos{File: path.Join(project, name)})
		p.Free = true
		if err != nil {
			p.Digest = ""
		}
		powers = append(powers, p)
	}
	return powers, nil
}

// treeDigest hashes names, kinds and contents below a path.
func treeDigest(root *os.Root, name string) (string, error) {
	h := sha256.New()
	files, left := 0, int64(maxBytes)
	err := fs.WalkDir(root.FS(), name, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if files++; files > maxFiles {
			return errors.New("too many files to approve")
		}
		fmt.Fprintf(h, "%q %s\n", p, d.Type())
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			to, err := root.Readlink(p)
			if err != nil {
				return err
			}
			fmt.Fprintf(h, "%q\n", to)
			// What the link leads to may change without it.
			return errors.New("it has symbolic links")
		case !d.Type().IsRegular():
			return nil
		}
		f, err := root.Open(p)
		if err != nil {
			return err
		}
		defer f.Close()
		n, err := io.Copy(h, io.LimitReader(f, left+1))
		if left -= n; left < 0 {
			return errors.New("too large to approve")
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// fileDigest is the digest of a program.
func fileDigest(file string) (string, error) {
	data, err := fsread.File(file, maxScript)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}
