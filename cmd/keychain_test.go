//go:build unix

package cmd_test

import (
	"os"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestKeychain runs the scripts that need a Secret Service. scripts/keychain
// starts one of its own for them: the user's is never written to.
func TestKeychain(t *testing.T) {
	if os.Getenv("HERETIC_TEST_KEYCHAIN") == "" {
		t.Skip("HERETIC_TEST_KEYCHAIN is not set: see scripts/keychain")
	}
	commands := scriptCommands()
	commands["lock"] = scriptLock
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/keychain",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                commands,
		Setup: func(env *testscript.Env) error {
			env.Setenv("DBUS_SESSION_BUS_ADDRESS", os.Getenv("DBUS_SESSION_BUS_ADDRESS"))
			return setupScript(env)
		},
	})
}

// scriptLock locks the keychain. Nobody can unlock it again: the service has no
// screen to ask on.
func scriptLock(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: lock")
	}
	conn, err := dbus.Connect(ts.Getenv("DBUS_SESSION_BUS_ADDRESS"))
	ts.Check(err)
	defer conn.Close()
	collection := []dbus.ObjectPath{"/org/freedesktop/secrets/collection/login"}
	ts.Check(conn.Object("org.freedesktop.secrets", "/org/freedesktop/secrets").
		Call("org.freedesktop.Secret.Service.Lock", 0, collection).Err)
}
