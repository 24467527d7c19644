//go:build unix && !darwin

package keychain

import (
	"fmt"

	"github.com/godbus/dbus/v5"
)

// reachable fails where no session bus runs. go-keyring would start one that
// outlives heretic, without a keychain on it.
func reachable() error {
	conn, err := dbus.SessionBusPrivateNoAutoStartup()
	if err != nil {
		return fmt.Errorf("there is no D-Bus session: %w", err)
	}
	return conn.Close()
}
