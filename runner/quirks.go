package runner

import (
	"strings"

	"github.com/docker/docker/api/types/versions"
)

// quirks is what differs between the engines that heretic runs on. All of it
// is here; the rest of the package asks these questions and no others.
type quirks struct {
	// consoleSize: the size given at create is the size of the first frame.
	// Elsewhere the terminal starts as 0x0 and a resize right after the start
	// has to set it.
	consoleSize bool
	// reportsStart: a command that cannot be run is an error of the start
	// call. Podman reports it at attach or start, with its own code.
	kind string
}

// engineQuirks is the table: the first row that matches is taken.
var engineQuirks = [...]struct {
	kind   string // prefix of the Server header
	minAPI string
	quirks quirks
}{
	{"Libpod", "", quirks{kind: "Podman"}},
	{"", "1.42", quirks{kind: "Docker", consoleSize: true}},
	{"", "", quirks{kind: "Docker"}},
}

// quirks returns the row of this engine. It is meaningful once the engine has
// answered.
func (e *Engine) quirks() quirks {
	name := ""
	if p := e.server.name.Load(); p != nil {
		name = *p
	}
	for _, row := range engineQuirks {
		if strings.HasPrefix(name, row.kind) &&
			(row.minAPI == "" || versions.GreaterThanOrEqualTo(e.docker.ClientVersion(), row.minAPI)) {
			return row.quirks
		}
	}
	return quirks{kind: "Docker"}
}

func (e *Engine) kind() string { return e.quirks().kind }
