//go:build unix

package regular

import (
	"errors"

	"golang.org/x/sys/unix"
)

const (
	nonblock = unix.O_NONBLOCK | unix.O_NOCTTY
	nofollow = unix.O_NOFOLLOW
)

// isLink tells whether an open was refused because of a link, or of something
// that cannot be opened, such as a socket.
func isLink(err error) bool {
	return errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EMLINK) || errors.Is(err, unix.ENXIO)
}
