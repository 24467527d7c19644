# Made by heretic.
FROM mirror.example:5000/debian@sha256:0123
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
RUN set -eu; \
    getent group 1000 >/dev/null || { if getent group agent >/dev/null; then groupmod -g 1000 agent; else groupadd -g 1000 agent; fi; }; \
    old=$({ getent passwd 1000 || getent passwd agent || :; } | cut -d: -f1); \
    if [ -n "$old" ]; then usermod -u 1000 -l agent -g 1000 -d /home/agent -s /bin/bash "$old"; \
    else useradd -u 1000 -g 1000 -d /home/agent -s /bin/bash agent; fi; \
    install -d -o 1000 -g 1000 /home/agent /workspace
USER agent
WORKDIR /workspace
ENTRYPOINT ["tini", "-s", "--"]
CMD ["bash"]
LABEL \
    heretic.image="cd728a7a7650" \
    heretic.image.agents="generic" \
    heretic.image.base="mirror.example:5000/debian@sha256:0123" \
    heretic.image.user="1000:1000"
