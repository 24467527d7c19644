package gitguard

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io/fs"
	"path/filepath"
	"strings"

	"heretic/session/internal/regular"
)

const (
	maxIndex = 64 << 20 // is read of the index, and of those of submodules
	maxLinks = 10_000   // submodules of an index are looked for

	// maxPath bounds the path of an entry: one of version 4 repeats a part of
	// the entry before it, so that a small file can mean a lot of text.
	maxPath = 4096
)

// Tracked tells whether a file, named below the top of the work tree with
// slashes, is in the repository's index. No git is run for it: the
// configuration of a project can make git run a program.
func (l Layout) Tracked(name string) (found bool) {
	if l.Dir == "" {
		return false
	}
	err := l.eachEntry(new(int64(maxIndex)), func(_ uint32, path string) bool {
		found = path == name
		return !found
	})
	return found && err == nil
}

// gitlinks yields the folders that the index has as repositories of their own:
// submodules. With more than can be looked at, it is as if the index were too
// large. What it reads it takes off the limit.
func (l Layout) gitlinks(limit *int64, yield func(path string) bool) error {
	const gitlink = 0o160000
	n, more := 0, false
	err := l.eachEntry(limit, func(mode uint32, path string) bool {
		if mode != gitlink || !filepath.IsLocal(path) {
			return true
		}
		n++
		more = n > maxLinks || !yield(path)
		return !more
	})
	if more {
		return &fs.PathError{Op: "read", Path: l.index(), Err: regular.ErrTooLarge}
	}
	return err
}

// eachEntry yields the entries of the index. Those of a shared index that it
// builds upon come after its own, also when it has taken them out.
func (l Layout) eachEntry(limit *int64, yield func(mode uint32, path string) bool) error {
	read := func(file string) ([]byte, error) {
		data, err := regular.Read(file, *limit)
		*limit -= int64(len(data))
		return data, err
	}
	file, hash := l.index(), l.hashSize()
	data, err := read(file)
	if err != nil {
		return err
	}
	base := sharedIndex(entries(data, hash, yield), hash)
	if base == "" {
		return nil
	}
	if data, err = read(filepath.Join(filepath.Dir(file), "sharedindex."+base)); err == nil {
		entries(data, hash, yield)
	}
	return err
}

// hashSize is the length of the repository's object names, in bytes.
func (l Layout) hashSize() int {
	if data, err := readFile(filepath.Join(l.Dir, "config")); err == nil {
		for _, e := range ParseConfig(data) {
			if e.Key() == "extensions.objectformat" && strings.EqualFold(e.Value, "sha256") {
				return sha256.Size
			}
		}
	}
	return sha1.Size
}

// sharedIndex is the name of the shared index in the extensions of an index,
// or empty.
func sharedIndex(extensions []byte, hash int) string {
	const header = 8
	for rest := extensions; len(rest) > header; {
		size := int64(binary.BigEndian.Uint32(rest[4:]))
		body := rest[header:]
		if size > int64(len(body)) {
			return ""
		}
		if string(rest[:4]) == "link" && int(size) >= hash && !allZero(body[:hash]) {
			return hex.EncodeToString(body[:hash])
		}
		rest = body[size:]
	}
	return ""
}

func allZero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }

// entries yields the entries of an index file of version 2, 3 or 4, and returns
// what comes after them, unless it was stopped. Of a damaged file it reads what
// it can.
func entries(data []byte, hash int, yield func(mode uint32, path string) bool) (rest []byte) {
	const header, modeAt, stat, flags = 12, 24, 40, 2
	fixed := stat + hash + flags
	if len(data) < header || string(data[:4]) != "DIRC" {
		return nil
	}
	version := binary.BigEndian.Uint32(data[4:])
	count := binary.BigEndian.Uint32(data[8:])
	rest = data[header:]
	path := ""
	for range count {
		size := fixed
		if len(rest) < size {
			return nil
		}
		if extended := rest[fixed-flags]&0x40 != 0; extended && version >= 3 {
			size += 2
		}
		if len(rest) < size {
			return nil
		}
		tail := rest[size:]
		if version >= 4 {
			strip, n := offset(tail)
			if n == 0 || strip > len(path) {
				return nil
			}
			path, tail = path[:len(path)-strip], tail[n:]
			size += n
		} else {
			path = ""
		}
		end := bytes.IndexByte(tail, 0)
		if end < 0 || len(path)+end > maxPath {
			return nil
		}
		path += string(tail[:end])
		if !yield(binary.BigEndian.Uint32(rest[modeAt:]), path) {
			return nil
		}
		size += end + 1
		if version < 4 {
			size = (size + 7) &^ 7 // NUL bytes up to a multiple of eight
		}
		if len(rest) < size {
			return nil
		}
		rest = rest[size:]
	}
	return rest
}

// offset reads the variable-length number of a version 4 entry.
func offset(b []byte) (value, n int) {
	for i, c := range b[:min(len(b), 5)] {
		if i > 0 {
			value++
		}
		value = value<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return value, i + 1
		}
	}
	return 0, 0
}
