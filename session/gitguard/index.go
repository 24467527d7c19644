package gitguard

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
)

// Tracked tells whether a file, named below the top of the work tree with
// slashes, is in the repository's index. No git is run for it: the
// configuration of a project can make git run a program.
func (l Layout) Tracked(name string) bool {
	if l.Dir == "" {
		return false
	}
	data, err := readFile(l.index())
	return err == nil && inIndex(data, name)
}

// maxPath bounds the path of an entry: one of version 4 repeats a part of the
// entry before it, so that a small file can mean a lot of text.
const maxPath = 4096

// inIndex tells whether an index file has an entry of that name.
func inIndex(data []byte, name string) (found bool) {
	entries(data, func(_ uint32, path string) bool {
		found = path == name
		return !found
	})
	return found
}

// gitlinks returns the folders that an index has as repositories of their own:
// submodules.
func gitlinks(data []byte) (paths []string) {
	const gitlink = 0o160000
	entries(data, func(mode uint32, path string) bool {
		if mode == gitlink && filepath.IsLocal(path) {
			paths = append(paths, path)
		}
		return len(paths) < maxRepos
	})
	return paths
}

// entries yields the entries of an index file of version 2, 3 or 4. Of a
// damaged file it reads what it can.
func entries(data []byte, yield func(mode uint32, path string) bool) {
	const header, modeAt, fixed = 12, 24, 62
	if len(data) < header || string(data[:4]) != "DIRC" {
		return
	}
	version := binary.BigEndian.Uint32(data[4:])
	count := binary.BigEndian.Uint32(data[8:])
	rest := data[header:]
	path := ""
	for range count {
		size := fixed
		if len(rest) < size {
			return
		}
		if extended := rest[fixed-2]&0x40 != 0; extended && version >= 3 {
			size += 2
		}
		if len(rest) < size {
			return
		}
		tail := rest[size:]
		if version >= 4 {
			strip, n := offset(tail)
			if n == 0 || strip > len(path) {
				return
			}
			path, tail = path[:len(path)-strip], tail[n:]
			size += n
		} else {
			path = ""
		}
		end := bytes.IndexByte(tail, 0)
		if end < 0 || len(path)+end > maxPath {
			return
		}
		path += string(tail[:end])
		if !yield(binary.BigEndian.Uint32(rest[modeAt:]), path) {
			return
		}
		size += end + 1
		if version < 4 {
			size = (size + 7) &^ 7 // NUL bytes up to a multiple of eight
		}
		if len(rest) < size {
			return
		}
		rest = rest[size:]
	}
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
