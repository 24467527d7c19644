package term

import (
	"os"
	"syscall"
	"time"
)

func forwarded() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

func notifyPipe(chan os.Signal) {}

// Name returns the signal's name as the engine takes it.
func Name(sig os.Signal) string {
	if sig == os.Interrupt {
		return "INT"
	}
	return "TERM"
}

// Number returns n of the exit code 128+n.
func Number(sig os.Signal) int {
	if sig == os.Interrupt {
		return 2
	}
	return 15
}

// sizeChanges ticks: a console has no signal for it.
func sizeChanges() (<-chan time.Time, func()) {
	t := time.NewTicker(250 * time.Millisecond)
	return t.C, t.Stop
}

// onContinue does nothing: a console stops no process.
func onContinue(func()) (stop func()) { return func() {} }
