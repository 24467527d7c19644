package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/mitchellh/go-homedir"

	"heretic/cmd/internal/ui"
	"heretic/profile"
	"heretic/runner"
	"heretic/session"
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
	// Engine connects to the container engine; once for all callers.
	Engine func(context.Context) (*runner.Engine, error)

	projectFlag string
	helpOut     keptError
	logging     logging
	closers     []func() error
	editing     atomic.Bool // the terminal, with its interrupt key, is the editor's
}

func newApp(streams *ui.Streams) *App {
	a := &App{
		IO:      streams,
		Lookup:  os.LookupEnv,
		Environ: os.Environ,
		Cwd:     os.Getwd,
		Home:    sync.OnceValues(userHome),
	}
	a.Engine = a.connectOnce()
	return a
}

func (a *App) connectOnce() func(context.Context) (*runner.Engine, error) {
	var once sync.Once
	var engine *runner.Engine
	var err error
	return func(ctx context.Context) (*runner.Engine, error) {
		once.Do(func() {
			var home string
			if home, err = a.Home(); err != nil {
				return
			}
			engine, err = runner.Connect(ctx, runner.ConnectOptions{Lookup: a.Lookup, Home: home, Log: a.Log()})
			if err == nil {
				a.closers = append(a.closers, engine.Close)
			}
		})
		return engine, err
	}
}

func userHome() (string, error) {
	home, err := homedir.Dir()
	if err != nil {
		return "", withHint(fmt.Errorf("cannot find your home directory: %w", err), "export HOME=<your home directory>")
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

// Loader reads profiles for the project; project may be empty where only the
// global ones matter.
func (a *App) Loader(project string) (profile.Loader, error) {
	home, err := a.Home()
	if err != nil {
		return profile.Loader{}, err
	}
	heretic, err := a.HereticHome()
	if err != nil {
		return profile.Loader{}, err
	}
	return profile.Loader{HereticHome: heretic, Home: home, Project: project, Lookup: a.Lookup, CheckValue: session.CheckValue}, nil
}

// settings are those of settings.yaml.
func (a *App) settings() (profile.Settings, error) {
	loader, err := a.Loader("")
	if err != nil {
		return profile.Settings{}, err
	}
	return loader.Settings()
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
