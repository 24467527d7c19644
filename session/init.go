package session

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"heretic/runner"
)

// exited recognizes a command that is not in the image. With an init process
// the engine sees a start that went well, and an end with a code that the
// agent itself could have had: only what the init process says tells them
// apart.
func (l *launch) exited(ctx context.Context, id string, code int) {
	if init := l.p.Spec.Init; init == nil || !*init || code != 126 && code != 127 {
		return
	}
	var b bytes.Buffer
	if err := l.eng.Logs(ctx, id, runner.LogsOptions{Tail: "5", Out: &b, Err: &b}); err != nil {
		l.warn(err)
		return
	}
	for line := range strings.Lines(b.String()) {
		if why, ok := initFailure(strings.TrimSpace(line)); ok {
			l.initError = &runner.StartError{Code: code, Err: errors.New(why)}
		}
	}
}

// initFailure takes apart what docker's and podman's init processes say when
// they cannot run the command.
func initFailure(line string) (why string, ok bool) {
	if rest, ok := strings.CutPrefix(line, "[FATAL tini ("); ok {
		_, why, ok = strings.Cut(rest, ")] ")
		return why, ok
	}
	if strings.HasPrefix(line, "ERROR (catatonit:") || strings.HasPrefix(line, "catatonit: ") {
		return line, true
	}
	return "", false
}
