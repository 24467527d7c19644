package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// An error names the whole path, once, also of a folder that somebody removes
// while it is open.
func TestErrorsNameThePath(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // an open folder cannot be removed
	}
	project := t.TempDir()
	s, err := Open(project)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := os.RemoveAll(filepath.Join(project, ".heretic")); err != nil {
		t.Fatal(err)
	}
	_, err = s.Sessions()
	if !errors.Is(err, fs.ErrNotExist) || strings.Count(err.Error(), project) != 1 {
		t.Errorf("error %v", err)
	}
}
