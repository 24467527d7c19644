package gitguard

import (
	"slices"
	"strings"
)

// rule is a family of variables that make git run a program, read further
// configuration, or work on other files than it seems to.
type rule struct {
	section string
	names   []string // nil: all of the section
	only    func(value string) bool
}

func isShell(v string) bool { return strings.HasPrefix(strings.TrimSpace(v), "!") }

func isExt(v string) bool { return strings.HasPrefix(v, "ext::") || strings.HasPrefix(v, "-") }

func rules() []rule {
	return []rule{
		{section: "core", names: []string{
			"hookspath", "fsmonitor", "sshcommand", "editor", "pager", "askpass", "gitproxy",
			"alternaterefscommand", "worktree", "attributesfile",
		}},
		{section: "sequence", names: []string{"editor"}},
		{section: "pager"},
		{section: "filter"},
		{section: "diff", names: []string{"external", "command", "textconv", "tool", "guitool"}},
		{section: "merge", names: []string{"driver", "tool", "guitool"}},
		{section: "difftool", names: []string{"cmd", "path"}},
		{section: "mergetool", names: []string{"cmd", "path"}},
		{section: "guitool", names: []string{"cmd"}},
		{section: "alias", only: isShell},
		{section: "include"},
		{section: "includeif"},
		{section: "credential", names: []string{"helper"}},
		{section: "gpg", names: []string{"program", "defaultkeycommand"}},
		{section: "hook", names: []string{"command"}},
		{section: "init", names: []string{"templatedir"}},
		{section: "interactive", names: []string{"difffilter"}},
		{section: "trailer", names: []string{"command", "cmd"}},
		{section: "tar", names: []string{"command"}},
		{section: "browser", names: []string{"cmd", "path"}},
		{section: "man", names: []string{"cmd", "path"}},
		{section: "web", names: []string{"browser"}},
		{section: "instaweb"},
		{section: "imap", names: []string{"tunnel"}},
		{section: "sendemail", names: []string{"tocmd", "cccmd", "headercmd", "sendmailcmd", "smtpserver"}},
		{section: "uploadpack", names: []string{"packobjectshook"}},
		{section: "gc", names: []string{"recentobjectshook"}},
		{section: "remote", names: []string{"uploadpack", "receivepack", "vcs"}},
		{section: "remote", names: []string{"url", "pushurl"}, only: isExt},
		{section: "submodule", names: []string{"update"}, only: isShell},
		{section: "url", names: []string{"insteadof", "pushinsteadof"}},
		{section: "protocol"},
		{section: "lfs", names: []string{"path", "args", "clean", "smudge"}},
	}
}

// RunsProgram tells whether a variable can make git on the host run a program
// of somebody's choice.
func RunsProgram(e Entry) bool {
	return slices.ContainsFunc(rules(), func(r rule) bool {
		return r.section == e.Section &&
			(r.names == nil || slices.Contains(r.names, e.Name)) &&
			(r.only == nil || r.only(e.Value))
	})
}
