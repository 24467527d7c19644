//go:build linux

package faulttest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// hold stops one process when it opens a file in a folder.
type hold struct {
	notify  *os.File
	reached chan struct{} // closed when the process is held
	open    chan struct{} // closed by whoever lets it go
	once    sync.Once
}

// holdIn holds the first process that opens a file in the folder when that says
// so. Folders that are opened pass.
func holdIn(dir string, when func() bool) (*hold, error) {
	fd, err := unix.FanotifyInit(unix.FAN_CLASS_CONTENT|unix.FAN_CLOEXEC|unix.FAN_NONBLOCK, unix.O_RDONLY)
	if err != nil {
		return nil, os.NewSyscallError("fanotify_init", err)
	}
	h := &hold{notify: os.NewFile(uintptr(fd), "fanotify"), reached: make(chan struct{}), open: make(chan struct{})}
	if err := unix.FanotifyMark(fd, unix.FAN_MARK_ADD, unix.FAN_OPEN_PERM|unix.FAN_EVENT_ON_CHILD, unix.AT_FDCWD, dir); err != nil {
		h.notify.Close()
		return nil, os.NewSyscallError("fanotify_mark", err)
	}
	go h.serve(when)
	return h, nil
}

// serve answers each opening until the hold is closed, which lets all pass.
func (h *hold) serve(when func() bool) {
	b := make([]byte, 4096)
	held := false
	for {
		n, err := h.notify.Read(b)
		if err != nil {
			return
		}
		for r := bytes.NewReader(b[:n]); r.Len() > 0; {
			var event unix.FanotifyEventMetadata
			if err := binary.Read(r, binary.NativeEndian, &event); err != nil {
				return
			}
			if !held && when() {
				held = true
				close(h.reached)
				<-h.open
			}
			answer := unix.FanotifyResponse{Fd: event.Fd, Response: unix.FAN_ALLOW}
			err := binary.Write(h.notify, binary.NativeEndian, answer)
			// A process that was killed while it was held needs no answer.
			if err := errors.Join(ignore(err, unix.ENOENT), unix.Close(int(event.Fd))); err != nil {
				return
			}
		}
	}
}

func ignore(err, harmless error) error {
	if errors.Is(err, harmless) {
		return nil
	}
	return err
}

// release lets the process go on.
func (h *hold) release() { h.once.Do(func() { close(h.open) }) }

func (h *hold) close() {
	h.release()
	h.notify.Close()
}
