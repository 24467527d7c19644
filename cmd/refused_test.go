//go:build linux

package cmd

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"heretic/cmd/internal/ui"
	"heretic/runner/runnertest/fakeengine"
)

// What an engine refuses about a value of a profile is shown with the place of
// the value.
func TestRefusedByTheEngine(t *testing.T) {
	const start = "image: img\nagent_type: generic\nextra:\n  "
	for _, tt := range []struct {
		name, profile string
		call, says    string
		want          string // after the profile's path
		hint          string
	}{
		{
			"capability", start + "capabilities: [NET_ADMIN, NOPE]\n", "POST create", `invalid CapAdd: unknown capability: "CAP_NOPE"`,
			`:4:17: extra.capabilities: create the container: invalid CapAdd: unknown capability: "CAP_NOPE"`, "`man 7 capabilities` has the names there are",
		},
		{
			"network", start + "network: nope\n", "POST start", "network nope not found",
			`:4:12: extra.network: start the container: network nope not found`, "`docker network ls` shows the networks there are",
		},
		{
			"security option", start + "security_opt: nope\n", "POST create", `invalid --security-opt 2: "nope"`,
			`:4:17: extra.security_opt: create the container: invalid --security-opt 2: "nope"`, "",
		},
		{
			"user", start + "user: nope\n", "POST start", "unable to find user nope: no matching entries in passwd file",
			`:4:9: extra.user: start the container: unable to find user nope: no matching entries in passwd file`, "",
		},
		{"something else", start + "network: nope\n", "POST start", "no room", "start the container: no room", ""},
		{"not the profile's", start + "hostname: x\n", "POST start", "network nope not found", "start the container: network nope not found", "`docker network ls` shows the networks there are"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			eng := &fakeengine.Engine{}
			others := answerLaunch(eng)
			eng.Handle = func(call string, w http.ResponseWriter, r *http.Request) bool {
				if call != tt.call {
					return others(call, w, r)
				}
				fakeengine.Fail(w, http.StatusNotFound, "%s", tt.says)
				return true
			}
			eng.Start(t)
			project := t.TempDir()
			launcher(t, eng, project, tt.profile, false)
			t.Chdir(project)
			streams, _, _, stderr := ui.Test()
			app := newApp(streams)
			defer app.close()
			if code := app.execute(t.Context(), []string{"run", "agent"}); code != 125 {
				t.Errorf("code %d", code)
			}
			want := "error: " + tt.want + "\n"
			if tt.want[0] == ':' {
				want = "error: " + filepath.Join(os.Getenv("HERETIC_HOME"), "agents", "agent.yaml") + tt.want + "\n"
			}
			if tt.hint != "" {
				want += "hint: " + tt.hint + "\n"
			}
			if stderr.String() != want {
				t.Errorf("got\n%swant\n%s", stderr, want)
			}
		})
	}
}
