package runner

import (
	"os"
	"testing"

	"heretic/runner/runnertest"
)

func TestMain(m *testing.M) {
	runnertest.Filter()
	runnertest.HearHangups()
	os.Exit(m.Run())
}
