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
	dir := l.Dir
	if l.Linked() {
		dir = l.Own
	}
	if dir == "" {
		return false
	}
	data, err := readFile(filepath.Join(dir, "index"))
	return err == nil && inIndex(data, name)
}

// maxPath bounds the path of an entry: one of version 4 repeats a part of the
// entry before it, so that a small file can mean a lot of text.
const maxPath = 4096

// inIndex looks a name up in an index file of version 2, 3 or 4. Of a damaged
// file it reads what it can.
func inIndex(data []byte, name string) bool {
	const header, fixed = 12, 62
	if len(data) < header || string(data[:4]) != "DIRC" {
		return false
	}
	version := binary.BigEndian.Uint32(data[4:])
	count := binary.BigEndian.Uint32(data[8:])
	rest := data[header:]
	path := ""
	for range count {
		size := fixed
		if len(rest) < size {
			return false
		}
		if extended := rest[fixed-2]&0x40 != 0; extended && version >= 3 {
			size += 2
		}
		if len(rest) < size {
			return false
		}
		tail := rest[size:]
		if version >= 4 {
			strip, n := offset(tail)
			if n == 0 || strip > len(path) {
				return false
			}
			path, tail = path[:len(path)-strip], tail[n:]
			size += n
		} else {
			path = ""
		}
		end := bytes.IndexByte(tail, 0)
		if end < 0 || len(path)+end > maxPath {
			return false
		}
		path += string(tail[:end])
		if path == name {
			return true
		}
		size += end + 1
		if version < 4 {
			size = (size + 7) &^ 7 // NUL bytes up to a multiple of eight
		}
		if len(rest) < size {
			return false
		}
		rest = rest[size:]
	}
	return false
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
