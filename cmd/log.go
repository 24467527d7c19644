package cmd

import (
	"context"
	"fmt"
	"log/slog"
	"os"
)

// logging is where the diagnostics of --verbose and --log-file go.
type logging struct {
	verbose bool
	path    string
	logger  *slog.Logger
	file    *os.File
}

// Log is the logger for diagnostics. It says nothing unless --verbose or
// --log-file was given.
func (a *App) Log() *slog.Logger {
	if a.logging.logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return a.logging.logger
}

// startLog opens what the flags ask for.
func (a *App) startLog() error {
	l := &a.logging
	options := &slog.HandlerOptions{Level: slog.LevelDebug}
	var handlers []slog.Handler
	if l.verbose {
		handlers = append(handlers, slog.NewTextHandler(a.IO.Err, &slog.HandlerOptions{
			Level:       slog.LevelDebug,
			ReplaceAttr: dropTime,
		}))
	}
	if l.path != "" {
		file, err := os.OpenFile(l.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return fmt.Errorf("--log-file: %w", err)
		}
		l.file = file
		handlers = append(handlers, slog.NewTextHandler(file, options))
	}
	if len(handlers) > 0 {
		l.logger = slog.New(slog.NewMultiHandler(handlers...))
		l.logger.LogAttrs(context.Background(), slog.LevelDebug, "heretic", slog.String("version", buildInfo().Version))
	}
	return nil
}

func dropTime(groups []string, attr slog.Attr) slog.Attr {
	if len(groups) == 0 && attr.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return attr
}
