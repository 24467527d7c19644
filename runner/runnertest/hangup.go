package runnertest

import (
	"os"
	"os/signal"
	"syscall"
)

// HearHangups undoes what nohup does to the calling test binary and to what it
// starts: heretic leaves a hangup alone that its parent had it ignore, and
// tests of hangups would wait for ever. It is called in TestMain.
func HearHangups() {
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
}
