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
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"
	"github.com/docker/docker/pkg/jsonmessage"
)

// Recipe is an image made from nothing but one static Go program: no registry
// takes part, and no builder.
type Recipe struct {
	Repository string
	Package    string // import path of the program, in this module
	Program    string // where it lies in the image, without the first slash
	Users      []User // besides root
	User       string // the image's user; empty is root
	Changes    []string
}

// User is an account of the image.
type User struct {
	Name     string
	UID      int
	Home     string
	OwnsHome bool
}

// Build makes the image unless the engine has it already, and returns its tag:
// a hash of the program's source and of the recipe. It is safe when several
// processes do it at once.
func (r Recipe) Build(ctx context.Context, cli *client.Client) (string, error) {
	dir, err := packageDir(ctx, r.Package)
	if err != nil {
		return "", err
	}
	sum, err := r.hash(dir)
	if err != nil {
		return "", err
	}
	tag := r.Repository + ":" + sum

	unlock, err := builder(cli.DaemonHost())
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := cli.ImageInspect(ctx, tag); err == nil || !errdefs.IsNotFound(err) {
		return tag, err
	}
	info, err := cli.ServerVersion(ctx)
	if err != nil {
		return "", err
	}
	program, err := compile(ctx, dir, info.Arch)
	if err != nil {
		return "", err
	}
	root, err := r.rootfs(program)
	if err != nil {
		return "", err
	}
	changes := append([]string{"WORKDIR /workspace"}, r.Changes...)
	if r.User != "" {
		changes = append(changes, "USER "+r.User)
	}
	resp, err := cli.ImageImport(ctx, image.ImportSource{Source: root, SourceName: "-"}, tag, image.ImportOptions{Changes: changes})
	if err != nil {
		return "", err
	}
	defer resp.Close()
	return tag, jsonmessage.DisplayJSONMessagesStream(resp, io.Discard, 0, false, nil)
}

func packageDir(ctx context.Context, pkg string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", pkg)
	// The programs exist for Linux alone, and the tests may run elsewhere.
	cmd.Env = append(os.Environ(), "GOOS=linux")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go list %s: %w", pkg, err)
	}
	return strings.TrimSpace(string(out)), nil
}

func (r Recipe) hash(dir string) (string, error) {
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
	fmt.Fprintf(h, "%q", fmt.Sprint(r))
	return hex.EncodeToString(h.Sum(nil))[:12], nil
}

// compile builds the program for the engine's architecture.
func compile(ctx context.Context, dir, arch string) ([]byte, error) {
	tmp, err := os.MkdirTemp("", "heretic-image-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	out := filepath.Join(tmp, "program")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch)
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build %s: %w\n%s", dir, err, text)
	}
	return os.ReadFile(out)
}

// rootfs is the image's only layer as a tar stream: the program, accounts,
// their homes, /tmp and /workspace (the first user's).
func (r Recipe) rootfs(program []byte) (io.Reader, error) {
	passwd, group := fmt.Sprintf("root:x:0:0:root:/root:/%s\n", r.Program), "root:x:0:\n"
	dirs := []tar.Header{
		{Name: "etc", Mode: 0o755}, {Name: "root", Mode: 0o700}, {Name: "tmp", Mode: 0o1777},
		{Name: path.Dir(r.Program), Mode: 0o755},
	}
	workspace := tar.Header{Name: "workspace", Mode: 0o755}
	for i, u := range r.Users {
		passwd += fmt.Sprintf("%s:x:%d:%d::%s:/%s\n", u.Name, u.UID, u.UID, u.Home, r.Program)
		group += fmt.Sprintf("%s:x:%d:\n", u.Name, u.UID)
		home := tar.Header{Name: strings.TrimPrefix(u.Home, "/"), Mode: 0o755}
		if u.OwnsHome {
			home.Uid, home.Gid = u.UID, u.UID
		}
		if i == 0 {
			workspace.Uid, workspace.Gid = u.UID, u.UID
		}
		dirs = append(dirs, tar.Header{Name: path.Dir(home.Name), Mode: 0o755}, home)
	}
	files := []struct {
		header tar.Header
		data   []byte
	}{
		{tar.Header{Name: "etc/passwd", Mode: 0o644}, []byte(passwd)},
		{tar.Header{Name: "etc/group", Mode: 0o644}, []byte(group)},
		{tar.Header{Name: r.Program, Mode: 0o755}, program},
	}

	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	epoch := time.Unix(0, 0)
	for _, d := range append(dirs, workspace) {
		d.Typeflag, d.Name, d.ModTime = tar.TypeDir, d.Name+"/", epoch
		if err := w.WriteHeader(&d); err != nil {
			return nil, err
		}
	}
	for _, f := range files {
		f.header.Size, f.header.ModTime = int64(len(f.data)), epoch
		if err := w.WriteHeader(&f.header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	return &buf, w.Close()
}
