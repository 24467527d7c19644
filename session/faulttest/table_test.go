//go:build linux

package faulttest

// phase is where a session is in its life when the fault comes.
type phase int

const (
	resolving phase = iota // a secret script runs
	writing                // half of the files are there
	written                // the files are there, the container is not
	creating               // the engine has created it, and has not said so
	created                // before attach
	starting               // the agent runs, and the engine has not said so
	running                // the agent has drawn its screen
	detaching              // the first of the detach keys was pressed
	stopping               // the agent has ended, its container is to be removed
)

var phases = [...]struct {
	name string
	doc  string
	call call // that heretic is held at
	held bool // it is the answer that is held
}{
	{"resolving", "a secret script of the profile runs", "", false},
	{"writing", "the session's MCP configuration is written, its other files are not", "", false},
	{"written", "all files are written, the container is not created", callCreate, false},
	{"creating", "the engine has created the container and not yet said so", callCreate, true},
	{"created", "the container is created, heretic is about to attach", callAttach, false},
	{"starting", "the agent runs and the engine has not yet said so", callStart, true},
	{"running", "the agent has drawn its screen", "", false},
	{"detaching", "the first of the two detach keys has been pressed", "", false},
	{"stopping", "the agent has ended, its container is about to be removed", callRemove, false},
}

func (p phase) String() string { return phases[p].name }

// onward tells how a heretic goes on after the fault.
type onward int

const (
	ends     onward = iota // by itself
	goesOn                 // as if nothing had happened
	detaches               // goesOn, and the second detach key is pressed
)

// want is what has to follow a fault.
type want struct {
	onward onward
	codes  []int  // of heretic, as a shell has them
	says   string // is on the screen
	alive  bool   // the agent runs on
}

// fault is a row of the table.
type fault struct {
	name string
	doc  string
	// inject makes it happen while heretic is in the cell's phase, or sees to it
	// that it happens as soon as it can.
	inject func(*cell) error
	// mend puts the machine right after heretic has ended.
	mend func(*cell) error
	// killed: heretic could not clean up, the next command has to.
	killed bool
	// down: the engine was killed, and restarts without its containers.
	down bool
	want map[phase]want
}

var (
	usual    = want{onward: goesOn, codes: []int{143}} // as the agent ends when it is told to
	over     = want{codes: []int{143}}                 // usual, and it has ended already
	detached = want{onward: detaches, codes: []int{0}, alive: true}
	refused  = want{codes: []int{125}}
	lostIt   = want{codes: []int{125}, alive: true}
)

func (w want) saying(text string) want { w.says = text; return w }

// from is the same at each phase from first to last, and else as in more.
func from(first, last phase, w want, more map[phase]want) map[phase]want {
	for p := first; p <= last; p++ {
		more[p] = w
	}
	return more
}

// unharmed are the phases from first on when the fault does nothing any more.
func unharmed(first phase, more map[phase]want) map[phase]want {
	more[detaching], more[stopping] = detached, over
	return from(first, running, usual, more)
}

// signalled is the end by a signal of that number.
func signalled(n int) map[phase]want {
	return from(resolving, detaching, want{codes: []int{128 + n}}, map[phase]want{stopping: over})
}

// lost is the end of the engine; ran is what becomes of a heretic whose agent
// has run for a while.
func lost(starts, ran want) map[phase]want {
	return from(writing, created, refused, map[phase]want{
		resolving: usual, starting: starts, running: ran, detaching: ran, stopping: over,
	})
}

// faults are the rows. A phase that a row leaves out is one where the fault
// cannot happen.
var faults = [...]fault{
	{
		name: "SIGKILL", doc: "heretic is killed",
		inject: func(c *cell) error { return c.signal(9) }, killed: true,
		want: from(starting, detaching, want{codes: []int{137}, alive: true},
			from(resolving, created, want{codes: []int{137}}, map[phase]want{stopping: {codes: []int{137}}})),
	},
	{
		name: "SIGTERM", doc: "heretic is told to end",
		inject: func(c *cell) error { return c.signal(15) }, want: signalled(15),
	},
	{
		name: "SIGHUP", doc: "heretic's terminal goes away",
		inject: func(c *cell) error { return c.signal(1) }, want: signalled(1),
	},
	{
		name: "engine killed", doc: "the engine dies of SIGKILL, and ends its containers when it is started again",
		inject: (*cell).killEngine, mend: (*cell).restartEngine, down: true,
		want: lost(refused, want{codes: []int{143, 137, 255}}), // what the engine made of the agent
	},
	{
		name: "engine killed, containers live", doc: "the same with an engine that leaves containers running (live-restore)",
		inject: (*cell).killEngine, mend: (*cell).restartEngine,
		want: lost(lostIt, lostIt),
	},
	{
		name: "disk full", doc: "the file system of the project has no room left",
		inject: (*cell).fillDisk, mend: (*cell).freeDisk,
		want: unharmed(written, from(resolving, writing, refused.saying("no space left"), map[phase]want{})),
	},
	{
		name: "image vanishes", doc: "the image is removed from the engine, and cannot be pulled",
		inject: (*cell).removeImage, mend: (*cell).tagImage,
		want: unharmed(creating, from(resolving, written, refused.saying("heretic-test/agent"), map[phase]want{})),
	},
	{
		name: "name taken", doc: "somebody else's container has the name of the session's",
		inject: (*cell).takeName, mend: (*cell).giveNameBack,
		want: from(resolving, written, refused.saying("name"), map[phase]want{}),
	},
	{
		name: "attach fails", doc: "the engine refuses the attach call, or the attached connection breaks",
		inject: (*cell).failAttach,
		want:   from(starting, detaching, lostIt, from(resolving, created, refused.saying("attach"), map[phase]want{})),
	},
	{
		name: "start fails", doc: "the engine refuses the start call, or its answer is lost",
		inject: (*cell).failStart,
		want:   from(resolving, created, refused.saying("start"), map[phase]want{starting: refused}),
	},
}
