package store

import (
	"os"
	"path/filepath"
	"testing"
)

// Every system: one holder, also within one process, until the file is closed.
func TestTryLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	first, second := open(), open()
	if got, err := tryLock(first); !got || err != nil {
		t.Fatalf("first: %v, %v", got, err)
	}
	if got, err := tryLock(second); got || err != nil {
		t.Errorf("second, while the first holds it: %v, %v", got, err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := tryLock(second); !got || err != nil {
		t.Errorf("second, after the first: %v, %v", got, err)
	}
}
