package image

import (
	"fmt"
	"strconv"
	"strings"
)

// Labels of the images that heretic builds. None of them is a label of a
// container of heretic: containers inherit what their image has.
const (
	LabelRecipe   = "heretic.image"
	LabelAgents   = "heretic.image.agents"
	LabelVersions = "heretic.image.versions"
	LabelWith     = "heretic.image.with"
	LabelBase     = "heretic.image.base"
	LabelUser     = "heretic.image.user" // uid:gid
)

// user is the name of the image's user, home its home directory.
const (
	user = "agent"
	home = "/home/agent"
)

// step is one instruction of the Dockerfile.
type step struct {
	title string // for progress; empty where it takes no time
	text  string
}

// Dockerfile is the recipe for the engine's builder. It needs no files beside
// it.
func (r Recipe) Dockerfile() string {
	return "# Made by heretic.\n" + text(r.steps())
}

func text(steps []step) string {
	var b strings.Builder
	for _, s := range steps {
		b.WriteString(s.text)
		b.WriteByte('\n')
	}
	return b.String()
}

// steps are the instructions: those that do not depend on the user come
// first, so that images for different users share them.
func (r Recipe) steps() []step {
	return append(r.body(), r.labels())
}

func (r Recipe) body() []step {
	var steps []step
	add := func(title, text string) { steps = append(steps, step{title, text}) }
	if r.Node != "" {
		add("", "FROM "+r.Node+" AS node")
	}
	add("base "+r.Base, "FROM "+r.Base)
	add("", "USER root")
	add("", "ENV LANG=C.UTF-8")
	add("git, ripgrep and the usual tools", installTools())
	if r.Node != "" {
		add("node from "+r.Node, "COPY --from=node /usr/local/bin/node /usr/local/bin/node")
		add("npm", "COPY --from=node /usr/local/lib/node_modules/npm /usr/local/lib/node_modules/npm")
		add("", script(
			"ln -sf ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm",
			"ln -sf ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx"))
	}
	add("check node", script(
		"command -v node >/dev/null && command -v npm >/dev/null || { echo 'the base has no node and npm: leave --node out' >&2; exit 1; }",
		fmt.Sprintf(`node -e 'process.exit(parseInt(process.versions.node) < %d ? 1 : 0)' || { echo "node $(node --version) of the base is too old, the agents need %d: leave --node out" >&2; exit 1; }`, minNode, minNode)))
	add("", "ARG NPM_CONFIG_REGISTRY")
	for _, p := range r.Programs {
		if p.Package != "" {
			add(p.Agent+" "+p.Version, install(p.Package+"@"+p.Version, p.Scripts...))
		}
	}
	for _, spec := range r.With {
		add(spec, install(spec))
	}
	if len(r.With) > 0 {
		add("", startInstalled(r.With))
	}
	add("user "+user, r.makeUser())
	var env []string
	for _, p := range r.Programs {
		env = append(env, p.Env...)
	}
	if len(env) > 0 {
		add("", "ENV "+strings.Join(env, " "))
	}
	add("", "USER "+user)
	if len(r.Homes) > 0 {
		add("", "RUN cd ~ && mkdir -p "+strings.Join(r.Homes, " "))
	}
	for _, p := range r.Programs {
		if p.Warm != "" {
			add("first start of "+p.Agent, "RUN "+p.Warm)
		}
	}
	add("", "WORKDIR /workspace")
	add("", `ENTRYPOINT ["tini", "-s", "--"]`)
	add("", fmt.Sprintf("CMD [%q]", r.command()))
	return steps
}

// command is what the image starts: its agent, or a shell where there are
// several.
func (r Recipe) command() string {
	if len(r.Programs) == 1 {
		return r.Programs[0].Command
	}
	return "bash"
}

func (r Recipe) labels() step {
	var names, versions []string
	for _, p := range r.Programs {
		names = append(names, p.Agent)
		if p.Package != "" {
			versions = append(versions, p.Agent+"="+p.Version)
		}
	}
	var b strings.Builder
	b.WriteString("LABEL")
	for _, l := range []struct{ key, value string }{
		{LabelRecipe, r.Hash()},
		{LabelAgents, strings.Join(names, ",")},
		{LabelVersions, strings.Join(versions, ",")},
		{LabelWith, strings.Join(r.With, ",")},
		{LabelBase, r.Base},
		{LabelUser, fmt.Sprintf("%d:%d", r.UID, r.GID)},
	} {
		if l.value != "" {
			fmt.Fprintf(&b, " \\\n    %s=%s", l.key, strconv.Quote(l.value))
		}
	}
	return step{"", b.String()}
}

// script is a RUN instruction of several shell commands.
func script(commands ...string) string {
	return "RUN set -eu; \\\n    " + strings.Join(commands, "; \\\n    ")
}

// installTools installs what the base does not have. A base that has it all
// needs no apt.
func installTools() string {
	lines := []string{"missing="}
	for _, t := range tools() {
		lines = append(lines, fmt.Sprintf(`command -v %s >/dev/null || missing="$missing %s"`, t.command, t.pkg))
	}
	return script(append(lines,
		`[ -s /etc/ssl/certs/ca-certificates.crt ] || missing="$missing ca-certificates"`,
		`[ -z "$missing" ] || { \
      export DEBIAN_FRONTEND=noninteractive; \
      apt-get update; \
      apt-get install -y --no-install-recommends $missing; \
      rm -rf /var/lib/apt/lists/*; \
    }`)...)
}

// install puts an npm package below /usr/local, wherever the base's npm would.
func install(spec string, scripts ...string) string {
	allow := "--ignore-scripts"
	if len(scripts) > 0 {
		allow = "--allow-scripts=" + strings.Join(scripts, ",")
	}
	return "RUN npm install --global --prefix=/usr/local " + allow +
		" --no-fund --no-audit --no-update-notifier --loglevel=error --cache=/tmp/npm " + spec + " && rm -rf /tmp/npm"
}

// makeUser makes the user with its ids. A user of the base that has the id
// (`node`, `ubuntu`) is renamed, a group that has it is used; a user and a group
// of the base that have the name already get the ids.
func (r Recipe) makeUser() string {
	return script(
		fmt.Sprintf(`getent group %d >/dev/null || { if getent group %s >/dev/null; then groupmod -g %d %s; else groupadd -g %d %s; fi; }`,
			r.GID, user, r.GID, user, r.GID, user),
		fmt.Sprintf("old=$({ getent passwd %d || getent passwd %s || :; } | cut -d: -f1)", r.UID, user),
		fmt.Sprintf(`if [ -n "$old" ]; then usermod -u %d -l %s -g %d -d %s -s /bin/bash "$old"; \
    else useradd -u %d -g %d -d %s -s /bin/bash %s; fi`, r.UID, user, r.GID, home, r.UID, r.GID, home, user),
		fmt.Sprintf("install -d -o %d -g %d %s /workspace", r.UID, r.GID, home),
	)
}

// startInstalled makes npx start the packages that are installed without
// asking the registry for their newest version, which takes a second, or for
// ever where there is no network. What is asked for in another version goes to
// the npx of npm.
func startInstalled(specs []string) string {
	names := make([]string, len(specs))
	for i, spec := range specs {
		names[i] = spec
		if at := strings.LastIndex(spec, "@"); at > 0 {
			names[i] = spec[:at]
		}
	}
	return script(
		`npx=$(readlink -f "$(command -v npx)")`,
		`node -e 'const fs = require("fs"), path = require("path"); \
      for (const name of process.argv.slice(1)) { \
        const dir = path.join("/usr/local/lib/node_modules", name), pkg = JSON.parse(fs.readFileSync(dir + "/package.json", "utf8")); \
        const bins = typeof pkg.bin === "string" ? [pkg.bin] : Object.values(pkg.bin || {}); \
        const bin = bins.length === 1 ? bins[0] : (pkg.bin || {})[path.basename(name)]; \
        if (!bin) throw new Error(name + " has no command that npx would start"); \
        for (const as of [name, name + "@" + pkg.version]) { \
          const link = path.join("/usr/local/lib/npx", as); \
          fs.mkdirSync(path.dirname(link), {recursive: true}); \
          fs.symlinkSync(path.join(dir, bin), link); } }' `+strings.Join(names, " "),
		`rm -f /usr/local/bin/npx`,
		`printf '%s\n' '#!/bin/sh' '# Packages of this image start without asking the registry.' \
      'n=0; for arg; do n=$((n + 1)); case $arg in -y|--yes|-q|--quiet) ;; \
      *) [ ! -x "/usr/local/lib/npx/$arg" ] || { shift $n; exec "/usr/local/lib/npx/$arg" "$@"; }; break ;; esac; done' \
      "exec $npx \"\$@\"" >/usr/local/bin/npx`,
		`chmod 755 /usr/local/bin/npx`)
}
