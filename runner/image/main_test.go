package image_test

import (
	"os"
	"testing"

	"heretic/runner/runnertest"
)

func TestMain(m *testing.M) {
	runnertest.Filter()
	os.Exit(m.Run())
}
