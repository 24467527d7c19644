package profile

import (
	"fmt"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// Secrets that are planted in every kind of place show up nowhere that is
// shown without --reveal, and in no error.
func TestMarkers(t *testing.T) {
	const files = `
-- env --
HOST=marker-host
-- home/.heretic/settings.yaml --
github: {token: marker-settings}
-- home/.heretic/agents/claude.yaml --
image: x
env: {A: marker-env, B: "${HOST}", C: "marker-default${NOPE:-marker-default}"}
env_file: ~/my.env
secrets: {S: marker-secret, T: {source: marker-file, as: file}}
git: {token: marker-git}
mcp:
  - {name: one, command: c, args: ["${S}"], env: {K: marker-server-env}}
  - {name: two, url: "https://h/${HOST}", headers: {Authorization: Bearer marker-header}}
-- home/my.env --
E=marker-env-file
-- project/.heretic/cli/claude.yaml --
env: {A: marker-local}
`
	h := newHost(t, archive(files))
	m, err := h.loader.Merge("claude", Options{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := m.Resolve(t.Context(), h.env)
	if err != nil {
		t.Fatal(err)
	}
	var out, revealed strings.Builder
	for _, o := range res.Origins {
		revealed.WriteString(o.Shown(true) + "\n")
		fmt.Fprintln(&out, o.Path, o.Shown(false), o.Origin)
	}
	fmt.Fprintln(&out, res.Notes)
	for _, v := range m.Values() {
		text, err := yaml.Marshal(Masked(v.Path, v.Node))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s: %s", v.Path, text)
	}
	changes, err := m.Changes()
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(&out, changes)
	// The same with something wrong in every place.
	for _, broken := range []string{
		strings.ReplaceAll(files, "image: x", "image: ${NOPE}"),
		strings.ReplaceAll(files, "marker-", "${NOPE}marker-"),
		strings.ReplaceAll(files, "marker-", "${?marker-"),
		strings.ReplaceAll(files, "env: {A: marker-env", "env: [marker-env], x: {A: marker-env"),
		strings.ReplaceAll(files, "secrets: {S: marker-secret", "secrets: {S: [marker-secret]"),
		strings.ReplaceAll(files, "E=marker", "E='marker"),
		strings.ReplaceAll(files, "token: marker", "token: [x]\n#marker"),
		strings.ReplaceAll(files, "secrets: {S: marker-secret", "secrets: {S: ./marker-secret\""),
	} {
		h := newHost(t, archive(broken))
		_, err := h.resolve(t)
		if err == nil {
			t.Errorf("no error for:%s", broken)
		}
		fmt.Fprintln(&out, err, hints(err))
	}
	for _, marker := range []string{"env-file", "host", "default", "secret", "file", "git", "server-env", "header", "local"} {
		if !strings.Contains(revealed.String(), "marker-"+marker) {
			t.Errorf("marker-%s is not there with reveal", marker)
		}
	}
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, "marker") {
			t.Errorf("shown: %s", line)
		}
	}
}
