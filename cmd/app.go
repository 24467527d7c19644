package cmd

import (
	"errors"
	"os"
	"path/filepath"
	"sync"

	"github.com/mitchellh/go-homedir"

	"heretic/cmd/internal/ui"
)

// App is what a command can ask for. The functions do their work when called,
// so that help and completion touch neither files nor sockets.
type App struct {
	IO      *ui.Streams
	Lookup  func(string) (string, bool)
	Environ func() []string
	// Cwd is the working directory, as the shell shows it.
	Cwd func() (string, error)
	// Home is the user's home directory.
	Home func() (string, error)

	projectFlag string
	logging     logging
	closers     []func() error
}

func newApp(streams *ui.Streams) *App {
	return &App{
		IO:      streams,
		Lookup:  os.LookupEnv,
		Environ: os.Environ,
		Cwd:     os.Getwd,
		Home:    sync.OnceValues(userHome),
	}
}

func userHome() (string, error) {
	home, err := homedir.Dir()
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(home) {
		return "", errors.New("the home directory is not an absolute path: set HOME")
	}
	return filepath.Clean(home), nil
}

// HereticHome is the directory of the global profiles: HERETIC_HOME, or
// ~/.heretic.
func (a *App) HereticHome() (string, error) {
	if dir, ok := a.Lookup("HERETIC_HOME"); ok && dir != "" {
		return filepath.Abs(dir)
	}
	home, err := a.Home()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".heretic"), nil
}

// close ends what the command opened.
func (a *App) close() {
	for _, c := range a.closers {
		if err := c(); err != nil {
			a.Log().Debug("closing", "error", err)
		}
	}
	if a.logging.file != nil {
		_ = a.logging.file.Close()
	}
}
