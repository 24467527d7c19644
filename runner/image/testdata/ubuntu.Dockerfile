# Made by heretic.
FROM node:24-bookworm-slim AS node
FROM ubuntu:24.04
USER root
ENV LANG=C.UTF-8
RUN set -eu; \
    missing=; \
    command -v git >/dev/null || missing="$missing git"; \
    command -v rg >/dev/null || missing="$missing ripgrep"; \
    command -v curl >/dev/null || missing="$missing curl"; \
    command -v jq >/dev/null || missing="$missing jq"; \
    command -v less >/dev/null || missing="$missing less"; \
    command -v ps >/dev/null || missing="$missing procps"; \
    command -v ssh >/dev/null || missing="$missing openssh-client"; \
    command -v patch >/dev/null || missing="$missing patch"; \
    command -v unzip >/dev/null || missing="$missing unzip"; \
    command -v xz >/dev/null || missing="$missing xz-utils"; \
    command -v make >/dev/null || missing="$missing make"; \
    command -v python3 >/dev/null || missing="$missing python3"; \
    command -v tini >/dev/null || missing="$missing tini"; \
    command -v useradd >/dev/null || missing="$missing passwd"; \
    [ -s /etc/ssl/certs/ca-certificates.crt ] || missing="$missing ca-certificates"; \
    [ -z "$missing" ] || { \
      export DEBIAN_FRONTEND=noninteractive; \
      apt-get update; \
      apt-get install -y --no-install-recommends $missing; \
      rm -rf /var/lib/apt/lists/*; \
    }
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=node /usr/local/lib/node_modules/npm /usr/local/lib/node_modules/npm
RUN set -eu; \
    ln -sf ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm; \
    ln -sf ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx
RUN set -eu; \
    command -v node >/dev/null && command -v npm >/dev/null || { echo 'the base has no node and npm: leave --node out' >&2; exit 1; }; \
    node -e 'process.exit(parseInt(process.versions.node) < 22 ? 1 : 0)' || { echo "node $(node --version) of the base is too old, the agents need 22: leave --node out" >&2; exit 1; }
ARG NPM_CONFIG_REGISTRY
RUN npm install --global --prefix=/usr/local --ignore-scripts --no-fund --no-audit --no-update-notifier --loglevel=error --cache=/tmp/npm @openai/codex@0.170.0 && rm -rf /tmp/npm
RUN npm install --global --prefix=/usr/local --ignore-scripts --no-fund --no-audit --no-update-notifier --loglevel=error --cache=/tmp/npm @modelcontextprotocol/server-memory@2026.8.31 && rm -rf /tmp/npm
RUN npm install --global --prefix=/usr/local --ignore-scripts --no-fund --no-audit --no-update-notifier --loglevel=error --cache=/tmp/npm mcp-remote && rm -rf /tmp/npm
RUN set -eu; \
    npx=$(readlink -f "$(command -v npx)"); \
    node -e 'const fs = require("fs"), path = require("path"); \
      for (const name of process.argv.slice(1)) { \
        const dir = path.join("/usr/local/lib/node_modules", name), pkg = JSON.parse(fs.readFileSync(dir + "/package.json", "utf8")); \
        const bins = typeof pkg.bin === "string" ? [pkg.bin] : Object.values(pkg.bin || {}); \
        const bin = bins.length === 1 ? bins[0] : (pkg.bin || {})[path.basename(name)]; \
        if (!bin) throw new Error(name + " has no command that npx would start"); \
        for (const as of [name, name + "@" + pkg.version]) { \
          const link = path.join("/usr/local/lib/npx", as); \
          fs.mkdirSync(path.dirname(link), {recursive: true}); \
          fs.symlinkSync(path.join(dir, bin), link); } }' @modelcontextprotocol/server-memory mcp-remote; \
    rm -f /usr/local/bin/npx; \
    printf '%s\n' '#!/bin/sh' '# Packages of this image start without asking the registry.' \
      'n=0; for arg; do n=$((n + 1)); case $arg in -y|--yes|-q|--quiet) ;; \
      *) [ ! -x "/usr/local/lib/npx/$arg" ] || { shift $n; exec "/usr/local/lib/npx/$arg" "$@"; }; break ;; esac; done' \
      "exec $npx \"\$@\"" >/usr/local/bin/npx; \
    chmod 755 /usr/local/bin/npx
RUN set -eu; \
    getent group 1234 >/dev/null || { if getent group agent >/dev/null; then groupmod -g 1234 agent; else groupadd -g 1234 agent; fi; }; \
    old=$({ getent passwd 1234 || getent passwd agent || :; } | cut -d: -f1); \
    if [ -n "$old" ]; then usermod -u 1234 -l agent -g 1234 -d /home/agent -s /bin/bash "$old"; \
    else useradd -u 1234 -g 1234 -d /home/agent -s /bin/bash agent; fi; \
    install -d -o 1234 -g 1234 /home/agent /workspace
USER agent
WORKDIR /workspace
ENTRYPOINT ["tini", "-s", "--"]
CMD ["codex"]
LABEL \
    heretic.image="c7850e3fd5b1" \
    heretic.image.agents="codex" \
    heretic.image.versions="codex=0.170.0" \
    heretic.image.with="@modelcontextprotocol/server-memory@2026.8.31,mcp-remote" \
    heretic.image.base="ubuntu:24.04" \
    heretic.image.user="1234:1234"
