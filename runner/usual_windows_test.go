package runner

import (
	"testing"

	"github.com/docker/cli/cli/config/configfile"
)

func TestUsual(t *testing.T) {
	ep, err := choose(t.Context(), ConnectOptions{
		Lookup: func(string) (string, bool) { return "", false }, Home: t.TempDir(),
	}, func() *configfile.ConfigFile { return configfile.New("") })
	if err != nil || ep.host != "npipe:////./pipe/docker_engine" || ep.remote() {
		t.Errorf("got %+v, %v", ep, err)
	}
}
