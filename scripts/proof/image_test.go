//go:build unix

package proof

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/containerd/errdefs"
	dockerimage "github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"
	"github.com/docker/docker/pkg/jsonmessage"

	"heretic/runner/image"
	"heretic/runner/runnertest"
)

// repository of the images that the proof makes and keeps.
const repository = "heretic-proof/"

// The MCP servers that every agent is given.
const (
	memoryPackage     = "@modelcontextprotocol/server-memory@2026.8.31"
	everythingPackage = "@modelcontextprotocol/server-everything@2026.8.31"
)

// agentImage is the image with all agents, built with `heretic image build`
// unless the engine has it.
func agentImage(t *testing.T) string {
	t.Helper()
	cli := runnertest.Client(t)
	base, node := baseImages(t, cli)
	args := []string{"image", "build"}
	for _, a := range agents() {
		args = append(args, a.name)
	}
	args = append(args, "--base", base, "--node", node, "--with", memoryPackage, "--with", everythingPackage)
	dry := heretic(t.Context(), append(args, "--dry-run")...)
	dockerfile, err := dry.Output()
	if err != nil {
		t.Fatalf("heretic %s: %v", strings.Join(args, " "), err)
	}
	tag := repository + "agents:" + hash(dockerfile)
	if has(t, cli, tag) {
		return tag
	}
	build := heretic(t.Context(), append(args, "--tag", tag)...)
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		t.Fatalf("heretic %s: %v", strings.Join(args, " "), err)
	}
	return tag
}

// baseImages are what the agents' image is built on: the default base where the
// engine has it or can pull it, else one that is made here.
func baseImages(t *testing.T, cli *client.Client) (base, node string) {
	if has(t, cli, image.DefaultBase) || pull(t.Context(), cli, image.DefaultBase) == nil {
		return image.DefaultBase, "base"
	}
	certificates, err := os.ReadFile("/etc/ssl/certs/ca-certificates.crt")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("rootfs")
	if err != nil {
		t.Fatal(err)
	}
	// The base has this machine's certificates, as the base of a company that
	// looks into TLS has them: npm has to be told.
	const bundle = "ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt"
	name := func(kind string, parts ...[]byte) string {
		return repository + kind + ":" + hash(append(parts, script)...)
	}
	base, node = name("base", certificates), name("node")
	done := make(chan error, 1)
	go func() { done <- importRoot(t.Context(), cli, "node", node) }()
	errBase := importRoot(t.Context(), cli, "base", base, bundle)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if errBase != nil {
		t.Fatal(errBase)
	}
	return base, node
}

func hash(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d\n%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

func has(t *testing.T, cli *client.Client, ref string) bool {
	t.Helper()
	_, err := cli.ImageInspect(t.Context(), ref)
	if err != nil && !errdefs.IsNotFound(err) {
		t.Fatal(err)
	}
	return err == nil
}

func pull(ctx context.Context, cli *client.Client, ref string) error {
	body, err := cli.ImagePull(ctx, ref, dockerimage.PullOptions{})
	if err != nil {
		return err
	}
	defer body.Close()
	return jsonmessage.DisplayJSONMessagesStream(body, io.Discard, 0, false, nil)
}

// importRoot makes an image of what the script rootfs makes.
func importRoot(ctx context.Context, cli *client.Client, kind, tag string, changes ...string) error {
	if _, err := cli.ImageInspect(ctx, tag); err == nil || !errdefs.IsNotFound(err) {
		return err
	}
	fmt.Fprintf(os.Stderr, "making %s\n", tag)
	var stderr bytes.Buffer
	make := exec.CommandContext(ctx, "./rootfs", kind)
	make.Stderr = &stderr
	root, err := make.StdoutPipe()
	if err != nil {
		return err
	}
	if err := make.Start(); err != nil {
		return err
	}
	body, err := cli.ImageImport(ctx, dockerimage.ImportSource{Source: root, SourceName: "-"}, tag, dockerimage.ImportOptions{Changes: changes})
	if err == nil {
		defer body.Close()
		err = jsonmessage.DisplayJSONMessagesStream(body, io.Discard, 0, false, nil)
	}
	if failed := make.Wait(); failed != nil {
		if _, err := cli.ImageRemove(context.WithoutCancel(ctx), tag, dockerimage.RemoveOptions{}); err != nil && !errdefs.IsNotFound(err) {
			return err
		}
		return fmt.Errorf("rootfs %s: %w\n%s", kind, failed, stderr.Bytes())
	}
	return err
}
