//go:build !windows

package runner

import (
	"archive/tar"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heretic/runner/runnertest/fakeengine"
)

// building is a fake engine whose builder answers with a stream.
func building(t *testing.T, answer func(w http.ResponseWriter, r *http.Request)) *Engine {
	t.Helper()
	return connect(t, &fakeengine.Engine{Handle: func(_ string, w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/build") {
			return false
		}
		answer(w, r)
		return true
	}})
}

func TestBuildSendsTheDockerfileAndReadsTheStream(t *testing.T) {
	var dockerfile string
	var query map[string][]string
	e := building(t, func(w http.ResponseWriter, r *http.Request) {
		query = r.URL.Query()
		tr := tar.NewReader(r.Body)
		if h, err := tr.Next(); err != nil || h.Name != "Dockerfile" {
			t.Errorf("%+v, %v", h, err)
		}
		data, err := io.ReadAll(tr)
		if err != nil {
			t.Error(err)
		}
		dockerfile = string(data)
		for _, line := range []string{
			`{"stream":"Step 1/2 : FROM x\n"}`, `{"stream":" ---\u003e 12\n"}`, `{"stream":"half "}`, `{"stream":"a line\nno end"}`,
			`{"aux":{"ID":"sha256:77"}}`,
		} {
			_, _ = io.WriteString(w, line+"\n")
		}
	})
	var lines []string
	id, err := e.Build(t.Context(), BuildOptions{
		Dockerfile: "FROM x\n", Tags: []string{"a:1", "b:2"}, Args: map[string]string{"K": "v"}, Network: "host", NoCache: true,
		Output: func(line string) { lines = append(lines, line) },
	})
	if err != nil || id != "sha256:77" || dockerfile != "FROM x\n" {
		t.Errorf("id %q, error %v, Dockerfile %q", id, err, dockerfile)
	}
	if diff := cmp.Diff([]string{"Step 1/2 : FROM x", " ---> 12", "half a line", "no end"}, lines); diff != "" {
		t.Error(diff)
	}
	for key, want := range map[string][]string{
		"t": {"a:1", "b:2"}, "buildargs": {`{"K":"v"}`}, "networkmode": {"host"}, "nocache": {"1"}, "forcerm": {"1"},
	} {
		if diff := cmp.Diff(want, query[key]); diff != "" {
			t.Errorf("%s: %s", key, diff)
		}
	}
}

func TestBuildErrors(t *testing.T) {
	for name, c := range map[string]struct {
		stream, want string
		instruction  bool // the error is that of an instruction
	}{
		"docker":     {`{"errorDetail":{"code":100,"message":"The command '/bin/sh -c set -eu' returned a non-zero code: 100"},"error":"x"}`, "the command ended with code 100", true},
		"podman":     {`{"errorDetail":{"message":"building at STEP \"RUN echo \"a\": b\": while running runtime: exit status 1"},"error":"x"}`, "while running runtime: exit status 1", true},
		"other":      {`{"errorDetail":{"message":"dockerfile parse error"},"error":"x"}`, "dockerfile parse error", true},
		"breaks off": {`{"stream":"Step 1/2`, "unexpected EOF", false},
	} {
		t.Run(name, func(t *testing.T) {
			e := building(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, c.stream) })
			_, err := e.Build(t.Context(), BuildOptions{Dockerfile: "FROM x\n"})
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "set -eu") || strings.Contains(err.Error(), "echo") {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if _, ok := errors.AsType[*BuildError](err); ok != c.instruction {
				t.Errorf("a *BuildError: %v", ok)
			}
		})
	}
}
