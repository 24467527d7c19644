package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"heretic/runner"
)

// checkInit recognizes a command that is not in the image. With an init process
// the engine sees a start that went well, and an end with a code that the
// agent itself could have had: only what the init process says tells them
// apart.
func (l *launch) checkInit(ctx context.Context, id string, code int) {
	if init := l.p.Spec.Init; init == nil || !*init || !l.eng.InitFails(code) {
		return
	}
	said, err := l.words(ctx, id)
	l.warn(err)
	for line := range strings.Lines(said) {
		why, ok := initFailure(strings.TrimSpace(line))
		if !ok {
			continue
		}
		code = 127
		if strings.Contains(strings.ToLower(why), "permission denied") {
			code = 126
		}
		if run := slices.Concat(l.p.Spec.Entrypoint, l.p.Spec.Cmd); len(run) > 0 && !strings.Contains(why, run[0]) {
			why = fmt.Sprintf("exec %q: %s", run[0], why)
		}
		l.initError = &runner.StartError{Code: code, Err: errors.New(why)}
	}
}

// fewWords is more than an init process writes.
const fewWords = 16 << 10

// errMoreWords stops the reading of a log in which the agent had its say.
var errMoreWords = errors.New("a long log")

// words takes what an init process may have written, and no more.
type words struct{ bytes.Buffer }

func (w *words) Write(p []byte) (int, error) {
	if w.Len()+len(p) > fewWords {
		return 0, errMoreWords
	}
	return w.Buffer.Write(p)
}

// words reads a container's log, unless it is a long one. Asked for the last
// lines, Podman 4 may answer with the end of one; and its log may lag behind
// the end of the container a little.
func (l *launch) words(ctx context.Context, id string) (string, error) {
	var w words
	for range 3 {
		err := l.eng.Logs(ctx, id, runner.LogsOptions{Tail: "all", Out: &w, Err: &w})
		if errors.Is(err, errMoreWords) {
			return "", nil
		}
		if err != nil || w.Len() > 0 {
			return w.String(), err
		}
		time.Sleep(50 * time.Millisecond)
	}
	return "", nil
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
