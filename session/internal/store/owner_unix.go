//go:build unix

package store

import (
	"io/fs"
	"syscall"
)

// Owner returns the user and the group that own a file, -1 where that is
// unknown.
func Owner(fi fs.FileInfo) (uid, gid int) {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid), int(st.Gid)
	}
	return -1, -1
}
