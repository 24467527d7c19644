package runner

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name string
		spec Spec
		want string // a part of the error; empty: none
	}{
		{"nothing", Spec{}, ""},
		{"all", Spec{
			Image: "ghcr.io/me/x:1@sha256:" + strings.Repeat("a", 64), Ports: []string{"127.0.0.1:80:80", "9000-9002"}, AddHosts: []string{"x:host-gateway", "y=[::1]"},
			DNS: []string{"1.1.1.1", "::1"}, Devices: []string{"/dev/fuse"}, GPUs: "all", Ulimits: []string{"nofile=1:2"},
			Memory: "4g", CPUs: "1.5", Tmpfs: map[string]string{"/x": "size=1m"}, Platform: "linux/arm64/v8",
		}, ""},
		{"image", Spec{Image: "a b"}, "not the name of an image"},
		{"upper case", Spec{Image: "Foo"}, "must be lowercase"},
		{"port", Spec{Ports: []string{"x:y"}}, `ports "x:y"`},
		{"host", Spec{AddHosts: []string{"x"}}, `extra host "x"`},
		{"name server", Spec{DNS: []string{"one.one"}}, "not an IP address"},
		{"device", Spec{Devices: []string{"fuse"}}, "not a device"},
		{"tmpfs", Spec{Tmpfs: map[string]string{"x": ""}}, "not an absolute path"},
		{"platform", Spec{Platform: "linux/"}, "not a platform"},
		{"two", Spec{Memory: "much", CPUs: "many"}, "not a size\ncpus"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Check(c.spec)
			if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
