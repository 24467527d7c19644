package runnertest

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestRootfs(t *testing.T) {
	root, err := Recipe{
		Program: "bin/agent",
		Users:   []User{{Name: "agent", UID: 1000, Home: "/home/agent", OwnsHome: true}, {Name: "other", UID: 7, Home: "/srv/other"}},
	}.rootfs([]byte("program"))
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for r := tar.NewReader(root); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "%04o %d %d %s\n", h.Mode, h.Uid, h.Size, h.Name)
	}
	const want = `0755 0 0 etc/
0700 0 0 root/
1777 0 0 tmp/
0755 0 0 bin/
0755 0 0 home/
0755 1000 0 home/agent/
0755 0 0 srv/
0755 0 0 srv/other/
0755 1000 0 workspace/
0644 0 110 etc/passwd
0644 0 35 etc/group
0755 0 7 bin/agent
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}
