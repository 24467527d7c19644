// Package runnertest gives tests a real engine and an image to run on it.
//
// A test that needs an engine has a name that begins with TestEngine, calls
// [Engine], and lies in a package whose TestMain calls [Filter]:
//
//	func TestMain(m *testing.M) {
//		runnertest.Filter()
//		os.Exit(m.Run())
//	}
//
// Such tests are left out, not skipped, unless HERETIC_TEST_ENGINE is set.
// Where it is set and no engine answers they fail.
package runnertest

import (
	"context"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/docker/docker/client"
)

// Variable is the environment variable that turns engine tests on: `1` for the
// engine at DOCKER_HOST or the default socket, or an address.
const Variable = "HERETIC_TEST_ENGINE"

// Filter leaves the tests of the calling test binary that need an engine out
// of the run unless they are turned on. It is called first in TestMain.
func Filter() {
	if os.Getenv(Variable) != "" {
		return
	}
	if err := flag.Set("test.skip", "^TestEngine"); err != nil {
		panic(err)
	}
}

// Address is where the engine of the tests is. It is empty where engine tests
// are not turned on.
func Address() string {
	switch v := os.Getenv(Variable); v {
	case "":
		return ""
	case "1":
		if host := os.Getenv(client.EnvOverrideHost); host != "" {
			return host
		}
		return client.DefaultDockerHost
	default:
		return v
	}
}

// Engine returns the address of an engine that answers and makes it DOCKER_HOST
// for the rest of the test, which therefore cannot be parallel.
func Engine(t testing.TB) string {
	t.Helper()
	addr := Address()
	t.Setenv(client.EnvOverrideHost, addr)
	Client(t)
	return addr
}

// Client returns the engine's own client, for what a test checks behind
// heretic's back. It fails the test when no engine answers.
func Client(t testing.TB) *client.Client {
	t.Helper()
	addr := Address()
	if addr == "" {
		t.Fatalf("this test needs an engine: run `make test`, or set %s=1", Variable)
	}
	cli, err := client.NewClientWithOpts(client.WithHost(addr), client.WithAPIVersionNegotiation())
	if err != nil {
		t.Fatalf("engine at %s: %v", addr, err)
	}
	t.Cleanup(func() { cli.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := cli.Ping(ctx); err != nil {
		t.Fatalf("%s is set and no engine answers: %v", Variable, err)
	}
	return cli
}
