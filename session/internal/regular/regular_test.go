//go:build unix

package regular

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(
		os.WriteFile(at("file"), []byte("12345"), 0o644),
		os.Symlink("file", at("link")),
		unix.Mkfifo(at("fifo"), 0o644),
		os.Mkdir(at("dir"), 0o755),
	); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", at("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, tt := range []struct {
		name     string
		limit    int64
		want, in error // of Read and of ReadIn
	}{
		{"file", 5, nil, nil},
		{"file", 4, ErrTooLarge, ErrTooLarge},
		{"link", 5, ErrOther, nil},
		{"fifo", 5, ErrOther, ErrOther},
		{"dir", 5, ErrOther, ErrOther},
		{"absent", 5, fs.ErrNotExist, fs.ErrNotExist},
	} {
		if data, err := Read(at(tt.name), tt.limit); !errors.Is(err, tt.want) || tt.want == nil && string(data) != "12345" {
			t.Errorf("Read %s, %d: %q, %v; want %v", tt.name, tt.limit, data, err, tt.want)
		}
		if data, err := ReadIn(root, tt.name, tt.limit); !errors.Is(err, tt.in) || tt.in == nil && string(data) != "12345" {
			t.Errorf("ReadIn %s, %d: %q, %v; want %v", tt.name, tt.limit, data, err, tt.in)
		}
	}
	if _, err := Read(at("socket"), 5); !errors.Is(err, ErrOther) {
		t.Errorf("socket: %v", err)
	}
}
