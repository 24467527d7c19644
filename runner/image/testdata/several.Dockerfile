# Made by heretic.
FROM node:24-bookworm-slim
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
RUN set -eu; \
    command -v node >/dev/null && command -v npm >/dev/null || { echo 'the base has no node and npm: leave --node out' >&2; exit 1; }; \
    node -e 'process.exit(parseInt(process.versions.node) < 22 ? 1 : 0)' || { echo "node $(node --version) of the base is too old, the agents need 22: leave --node out" >&2; exit 1; }
ARG NPM_CONFIG_REGISTRY
RUN npm install --global --prefix=/usr/local --ignore-scripts --no-fund --no-audit --no-update-notifier --loglevel=error --cache=/tmp/npm @github/copilot@1.0.102 && rm -rf /tmp/npm
RUN npm install --global --prefix=/usr/local --allow-scripts=opencode-ai --no-fund --no-audit --no-update-notifier --loglevel=error --cache=/tmp/npm opencode-ai@1.18.33 && rm -rf /tmp/npm
RUN set -eu; \
    getent group 20 >/dev/null || { if getent group agent >/dev/null; then groupmod -g 20 agent; else groupadd -g 20 agent; fi; }; \
    old=$({ getent passwd 501 || getent passwd agent || :; } | cut -d: -f1); \
    if [ -n "$old" ]; then usermod -u 501 -l agent -g 20 -d /home/agent -s /bin/bash "$old"; \
    else useradd -u 501 -g 20 -d /home/agent -s /bin/bash agent; fi; \
    install -d -o 501 -g 20 /home/agent /workspace
ENV COPILOT_AUTO_UPDATE=false OPENCODE_DISABLE_AUTOUPDATE=1
USER agent
RUN cd ~ && mkdir -p .config/opencode .copilot
RUN copilot --version
WORKDIR /workspace
ENTRYPOINT ["tini", "-s", "--"]
CMD ["bash"]
LABEL \
    heretic.image="075cece2429e" \
    heretic.image.agents="copilot-cli,opencode" \
    heretic.image.versions="copilot-cli=1.0.102,opencode=1.18.33" \
    heretic.image.base="node:24-bookworm-slim" \
    heretic.image.user="501:20"
