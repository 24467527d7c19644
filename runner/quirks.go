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
	// losesSizes: of two sizes that come together the first is set twice, and
	// the last never (conmon takes both from its FIFO at once).
	losesSizes bool
	// tmpfsCopiesUp: a tmpfs begins with a copy of what it is mounted over,
	// unless it is asked not to. The mount form cannot ask.
	tmpfsCopiesUp bool
	// mountsAreCSV: the engine joins the fields of a mount to a line of CSV
	// without quoting them, so a comma or a quote in a path breaks the line.
	mountsAreCSV bool
	// states are its own words for the states of a container.
	states map[string]string
	// initCodes are those of the engine's init process when it cannot run the
	// command.
	initCodes []int
	// execRefusal begins what the engine writes, in place of a command's output,
	// about a command that exec cannot start.
	execRefusal string
	// startTexts tell in an error of the start call what its exit code is;
	// Docker keeps the code with the container.
	startTexts []startText
}

type startText struct {
	contains string
	code     int
}

const ociRefusal = "OCI runtime exec failed: "

// engineQuirks is the table: the first row that matches is taken.
func engineQuirks() []engineRow {
	return []engineRow{
		{server: "Libpod", quirks: quirks{
			kind: "Podman", attachInitialises: true, losesSizes: true, tmpfsCopiesUp: true, mountsAreCSV: true, initCodes: []int{1},
			startTexts: []startText{{"command that was not found", 127}, {"permission denied", 126}, {"is a directory", 126}},
			states:     map[string]string{"stopped": "exited", "configured": "created", "initialized": "created"},
		}},
		{minAPI: "1.42", quirks: quirks{kind: "Docker", initCodes: []int{126, 127}, execRefusal: ociRefusal, consoleSize: true}},
		{quirks: quirks{kind: "Docker", initCodes: []int{126, 127}, execRefusal: ociRefusal}},
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

// state is Docker's word for a state of a container.
func (q quirks) state(s string) string {
	if docker, ok := q.states[s]; ok {
		return docker
	}
	return s
}

// InitFails tells whether a container with this exit code may be one whose
// init process could not run the command. What it wrote tells.
func (e *Engine) InitFails(code int) bool { return slices.Contains(e.quirks().initCodes, code) }
