package runner

import (
	"slices"
	"strings"

	"github.com/docker/docker/api/types/versions"
)

// quirks is what differs between the engines that heretic runs on. All of it
// is here; the rest of the package asks these questions and no others.
type quirks struct {
	kind string // Docker or Podman
	// consoleSize: the size given at create is the size of the first frame.
	// Elsewhere the terminal starts as 0x0 and a resize right after the start
	// has to set it.
	consoleSize bool
	// attachInitialises: attach before start already prepares the process, and
	// is refused, without a reason, where the command cannot be run.
	attachInitialises bool
}

// engineQuirks is the table: the first row that matches is taken.
func engineQuirks() []engineRow {
	return []engineRow{
		{server: "Libpod", quirks: quirks{kind: "Podman", attachInitialises: true}},
		{minAPI: "1.42", quirks: quirks{kind: "Docker", consoleSize: true}},
		{quirks: quirks{kind: "Docker"}},
	}
}

type engineRow struct {
	server string // prefix of the Server header; empty: any
	minAPI string // lowest API version; empty: any
	quirks quirks
}

// quirks returns the row of this engine. It is meaningful once the engine has
// answered.
func (e *Engine) quirks() quirks {
	return quirksOf(e.server.get(), e.docker.ClientVersion())
}

func quirksOf(server, api string) quirks {
	rows := engineQuirks()
	i := slices.IndexFunc(rows, func(r engineRow) bool {
		return strings.HasPrefix(server, r.server) &&
			(r.minAPI == "" || versions.GreaterThanOrEqualTo(api, r.minAPI))
	})
	return rows[i].quirks // the last row takes all
}
