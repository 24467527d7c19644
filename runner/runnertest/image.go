package runnertest

import (
	"os"
	"testing"
)

// repository is the name of every image that the tests make.
const repository = "heretic-test/agent"

// Image returns the tag of an image that holds nothing but the test agent,
// as /bin/agent and entrypoint. Its user is root; home and /workspace are
// there. The roles that the program plays are in scripts/testagent.
func Image(t testing.TB) string { return ImageAs(t, "") }

// ImageAs is Image with an image user: "agent" (uid 1000, home /home/agent) or
// "other" (uid 1234, home /srv/other, a directory that is not its own).
func ImageAs(t testing.TB, user string) string {
	t.Helper()
	return built(t, Agent(user))
}

// DemoImage returns the tag of the image of [DemoAgent].
func DemoImage(t testing.TB) string {
	t.Helper()
	return built(t, DemoAgent())
}

func built(t testing.TB, r Recipe) string {
	t.Helper()
	cli := Client(t)
	release, err := share(cli.DaemonHost())
	if err != nil {
		t.Fatalf("lock the test images: %v", err)
	}
	t.Cleanup(func() { release() })
	tag, err := r.Build(t.Context(), cli)
	if err != nil {
		t.Fatalf("build the test image: %v", err)
	}
	return tag
}

// Agent is the image of [ImageAs].
func Agent(user string) Recipe {
	return Recipe{
		Repository: repository,
		Package:    "heretic/scripts/testagent",
		Program:    "bin/agent",
		Users: []User{
			{Name: "agent", UID: 1000, Home: "/home/agent", OwnsHome: true},
			{Name: "other", UID: 1234, Home: "/srv/other"},
		},
		User:    user,
		Changes: []string{`ENTRYPOINT ["/bin/agent"]`, "ENV PATH=/bin"},
	}
}

// DemoAgent is the image of the demo: scripts/demoagent plays an agent and its
// MCP servers. The container's user has the uid of whoever runs this.
func DemoAgent() Recipe {
	r := Recipe{
		Repository: Demo,
		Package:    "heretic/scripts/demoagent",
		Program:    "bin/demo",
		Changes:    []string{`ENTRYPOINT ["/bin/demo", "with-time"]`, `CMD ["/bin/demo", "agent"]`, "ENV PATH=/bin"},
	}
	if uid := os.Getuid(); uid > 0 {
		r.Users = []User{{Name: "agent", UID: uid, Home: "/home/agent", OwnsHome: true}}
		r.User = "agent"
	}
	return r
}
