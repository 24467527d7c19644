package runnertest

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"
	"github.com/docker/docker/pkg/jsonmessage"
)

// Repository is the name of every image that the tests make.
const Repository = "heretic-test/agent"

// agentPackage is the program in the image.
const agentPackage = "heretic/scripts/testagent"

// Image returns the tag of an image that holds nothing but the test agent,
// as /bin/agent and entrypoint. Its user is root; home and /workspace are
// there. The roles that the program plays are in scripts/testagent.
func Image(t testing.TB) string { return ImageAs(t, "") }

// ImageAs is Image with an image user: "agent" (uid 1000, home /home/agent) or
// "other" (uid 1234, home /srv/other, a directory that is not its own).
func ImageAs(t testing.TB, user string) string {
	t.Helper()
	cli := Client(t)
	release, err := share(cli.DaemonHost())
	if err != nil {
		t.Fatalf("lock the test images: %v", err)
	}
	t.Cleanup(func() { release() })
	tag, err := build(t.Context(), cli, user)
	if err != nil {
		t.Fatalf("build the test image: %v", err)
	}
	return tag
}

// build makes the image unless the engine has it. It is safe when several test
// binaries do it at once.
func build(ctx context.Context, cli *client.Client, user string) (string, error) {
	dir, err := packageDir(ctx)
	if err != nil {
		return "", err
	}
	sum, err := hashSource(dir)
	if err != nil {
		return "", err
	}
	info, err := cli.ServerVersion(ctx)
	if err != nil {
		return "", err
	}
	tag := Repository + ":" + sum
	if user != "" {
		tag += "-" + user
	}

	unlock, err := builder(cli.DaemonHost())
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := cli.ImageInspect(ctx, tag); err == nil || !errdefs.IsNotFound(err) {
		return tag, err
	}
	program, err := compile(ctx, dir, info.Arch)
	if err != nil {
		return "", err
	}
	root, err := rootfs(program)
	if err != nil {
		return "", err
	}
	changes := []string{
		`ENTRYPOINT ["/bin/agent"]`,
		"ENV PATH=/bin",
		"WORKDIR /workspace",
	}
	if user != "" {
		changes = append(changes, "USER "+user)
	}
	resp, err := cli.ImageImport(ctx, image.ImportSource{Source: root, SourceName: "-"}, tag, image.ImportOptions{Changes: changes})
	if err != nil {
		return "", err
	}
	defer resp.Close()
	return tag, jsonmessage.DisplayJSONMessagesStream(resp, io.Discard, 0, false, nil)
}

func packageDir(ctx context.Context) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", agentPackage)
	// The program exists for Linux alone, and the tests may run elsewhere.
	cmd.Env = append(os.Environ(), "GOOS=linux")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go list %s: %w", agentPackage, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// hashSource is short and the same for the same source of the program.
func hashSource(dir string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %d\n%s", filepath.Base(f), len(data), data)
	}
	fmt.Fprintf(h, "%q", accounts)
	return hex.EncodeToString(h.Sum(nil))[:12], nil
}

// compile builds the program for the engine's architecture.
func compile(ctx context.Context, dir, arch string) ([]byte, error) {
	tmp, err := os.MkdirTemp("", "heretic-test-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	out := filepath.Join(tmp, "agent")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch, "GOFLAGS=")
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, text)
	}
	return os.ReadFile(out)
}

// accounts are the files below /etc.
var accounts = [...]struct{ name, text string }{
	{"passwd", "root:x:0:0:root:/root:/bin/agent\nagent:x:1000:1000::/home/agent:/bin/agent\nother:x:1234:1234::/srv/other:/bin/agent\n"},
	{"group", "root:x:0:\nagent:x:1000:\nother:x:1234:\n"},
}

// rootfs is the image's only layer as a tar stream.
func rootfs(program []byte) (io.Reader, error) {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	epoch := time.Unix(0, 0)
	add := func(h tar.Header, data []byte) error {
		h.Size, h.ModTime = int64(len(data)), epoch
		if err := w.WriteHeader(&h); err != nil {
			return err
		}
		_, err := w.Write(data)
		return err
	}
	for _, d := range []tar.Header{
		{Name: "bin/", Mode: 0o755}, {Name: "etc/", Mode: 0o755}, {Name: "home/", Mode: 0o755}, {Name: "srv/", Mode: 0o755},
		{Name: "root/", Mode: 0o700}, {Name: "tmp/", Mode: 0o1777}, {Name: "srv/other/", Mode: 0o755},
		{Name: "home/agent/", Mode: 0o755, Uid: 1000, Gid: 1000},
		{Name: "workspace/", Mode: 0o755, Uid: 1000, Gid: 1000},
	} {
		d.Typeflag = tar.TypeDir
		if err := add(d, nil); err != nil {
			return nil, err
		}
	}
	for _, f := range accounts {
		if err := add(tar.Header{Name: "etc/" + f.name, Mode: 0o644}, []byte(f.text)); err != nil {
			return nil, err
		}
	}
	if err := add(tar.Header{Name: "bin/agent", Mode: 0o755}, program); err != nil {
		return nil, err
	}
	return &buf, w.Close()
}
