//go:build unix

package fsread

import "golang.org/x/sys/unix"

// nonblock keeps open from waiting for the other end of a FIFO, and a terminal
// device from becoming ours.
const nonblock = unix.O_NONBLOCK | unix.O_NOCTTY
