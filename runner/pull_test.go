//go:build !windows

package runner

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"heretic/runner/runnertest/fakeengine"
)

// Without a terminal a pull is a line at each end and one now and then.
func TestPullHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		go func() {
			for _, s := range []string{
				`{"status":"Pulling fs layer","id":"a"}`, `{"status":"Pulling fs layer","id":"b"}`,
				`{"status":"Downloading","id":"a","progressDetail":{"current":2000000,"total":4000000}}`,
				`{"status":"Pull complete","id":"b"}`,
			} {
				_, _ = io.WriteString(w, s)
			}
			time.Sleep(11 * time.Second)
			w.Close()
		}()
		var out buffer
		if err := showPull(t.Context(), r, "img", &out); err != nil {
			t.Fatal(err)
		}
		want := "pulling img\npulling img: 1 of 2 layers, 2MB, 5s\npulling img: 1 of 2 layers, 2MB, 10s\npulled img in 11s\n"
		if out.String() != want {
			t.Errorf("got %q", out.String())
		}
	})
}

// pitfall 5: what the engine puts into the stream, or that the stream breaks
// off, is an error.
func TestPullErrors(t *testing.T) {
	for _, tt := range []struct {
		status     int
		body, want string
		notFound   bool
	}{
		{200, `{"status":"x"}{"errorDetail":{"message":"no space left"},"error":"no space left"}`, `image "img:1": pull: no space left`, false},
		{200, `{"status":"x"}{"sta`, `image "img:1": pull: unexpected EOF`, false},
		{404, `{"message":"manifest for img:1 not found"}`, `image "img:1": pull: not found: manifest for img:1 not found`, true},
		{500, `{"message":"Get \"https://r\": \u001b[31mno route"}`, `image "img:1": pull: Get "https://r": \x1b[31mno route`, false},
	} {
		f := &fakeengine.Engine{}
		f.Handle = func(call string, w http.ResponseWriter, _ *http.Request) bool {
			if call != "POST image create" {
				return false
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(tt.status)
			_, _ = io.WriteString(w, tt.body)
			return true
		}
		e := connect(t, f)
		err := e.Pull(t.Context(), "img:1", "", nil)
		if err == nil || err.Error() != tt.want || errors.Is(err, ErrNotFound) != tt.notFound {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

// The credentials come from the docker configuration, directly or through a
// helper; a helper that fails is no reason not to try, and what it prints is
// not shown.
func TestPullCredentials(t *testing.T) {
	bin := t.TempDir()
	helper := "#!/bin/sh\nread server\n[ $server = helper.example ] || { echo s3cret; exit 1; }\n" +
		`echo '{"ServerURL":"helper.example","Username":"hu","Secret":"hs"}'` + "\n"
	if err := os.WriteFile(filepath.Join(bin, "docker-credential-fake"), []byte(helper), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	f := &fakeengine.Engine{Images: map[string]bool{}}
	got := ""
	f.Handle = func(call string, _ http.ResponseWriter, r *http.Request) bool {
		if call == "POST image create" {
			b, _ := base64.URLEncoding.DecodeString(r.Header.Get("X-Registry-Auth"))
			got = string(b)
		}
		return false
	}
	home := t.TempDir()
	dir := filepath.Join(home, ".docker")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	cfg := fmt.Sprintf(`{"auths":{"direct.example":{"auth":%q},"https://index.docker.io/v1/":{"auth":%q}},
		"credHelpers":{"helper.example":"fake","broken.example":"fake","gone.example":"nosuch"}}`,
		base64.StdEncoding.EncodeToString([]byte("u:p")), base64.StdEncoding.EncodeToString([]byte("hub:hp")))
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(cfg), 0o600); err != nil {
		t.Fatal(err)
	}
	e := connectFrom(t, f, home)
	var log buffer
	e.log = textLog(&log)
	for _, tt := range []struct{ ref, user, pass string }{
		{"direct.example/a/b:1", "u", "p"}, {"helper.example/x", "hu", "hs"}, {"alpine", "hub", "hp"},
		{"broken.example/x", "", ""}, {"gone.example/x", "", ""}, {"other.example/x", "", ""},
	} {
		got = ""
		if err := e.Pull(t.Context(), tt.ref, "", nil); err != nil {
			t.Errorf("%s: %v", tt.ref, err)
		}
		if tt.user == "" && strings.Contains(got, "username") {
			t.Errorf("%s: sent %s", tt.ref, got)
		}
		if tt.user != "" && (!strings.Contains(got, `"username":"`+tt.user+`"`) || !strings.Contains(got, `"password":"`+tt.pass+`"`)) {
			t.Errorf("%s: sent %s", tt.ref, got)
		}
	}
	if strings.Contains(log.String(), "s3cret") || !strings.Contains(log.String(), "broken.example") || !strings.Contains(log.String(), "docker-credential-nosuch") {
		t.Errorf("log: %s", log.String())
	}
}
