//go:build unix

package proof

import (
	"flag"
	"os"
	"testing"

	"github.com/docker/docker/client"
	"github.com/rogpeppe/go-internal/testscript"

	"heretic/cmd"
	"heretic/runner/runnertest"
)

// variable turns the proof on. It takes minutes, and so has a switch beside
// that of the engine tests.
const variable = "HERETIC_TEST_PROOF"

var update = flag.Bool("update", false, "write what was proved to docs/agents.md")

func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv(variable) == "" {
		if err := flag.Set("test.skip", "^TestProof"); err != nil {
			panic(err)
		}
	} else if err := os.Setenv(client.EnvOverrideHost, runnertest.Address()); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){
		"heretic": func() { os.Exit(cmd.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}
