# `make help` lists the targets. Nothing but Go and a shell is needed: what
# else a target uses, its scripts install (see scripts/engine).

GO      ?= go
PREFIX  ?= /usr/local
PKG     ?= ./...
BIN     := bin/heretic
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X heretic/cmd.version=$(VERSION)
FUZZTIME ?= 10s
ENGINES ?= docker-28 podman-4 podman-5

# As released, and so that all builds but those for the race detector share
# their cache.
export CGO_ENABLED = 0

# Engine tests fail where no engine answers; without the variable they are
# left out (see runner/runnertest).
ENGINE = set -e; env=$$(scripts/engine env); eval "$$env"; export HERETIC_TEST_ENGINE=1;

.DEFAULT_GOAL := build
.PHONY: help build install snapshot demo test test-short test-engines test-keychain faults proof lint fuzz bench clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## Build bin/heretic
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/heretic

install: build ## Install heretic with manual pages and completion below PREFIX (/usr/local); heretic-cli is a link
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 0755 $(BIN) $(DESTDIR)$(PREFIX)/bin/heretic
	ln -sf heretic $(DESTDIR)$(PREFIX)/bin/heretic-cli
	$(GO) run ./scripts/share $(DESTDIR)$(PREFIX)/share

snapshot: ## Check the release configuration, and build archives and packages for every system into dist/
	scripts/snapshot

demo: ## Run a demo agent with real MCP servers through heretic, from nothing
	@scripts/demo

test: ## Run every test: unit, script, end-to-end on an engine, fuzz, other systems, keychain, real agents
	@$(ENGINE) CGO_ENABLED=1 $(GO) test -race -timeout 20m $(PKG); $(GO) run ./scripts/testclean
ifeq ($(PKG),./...)
	@scripts/fuzz 4000x
	@scripts/crossvet
	@scripts/keychain --optional
	@$(ENGINE) HERETIC_TEST_PROOF=1 $(GO) test -timeout 30m ./scripts/proof
endif

proof: ## Prove again with the real agents (from npm) that they have their tools; the image is kept
	@$(ENGINE) HERETIC_TEST_PROOF=1 $(GO) test -count=1 -v -timeout 30m ./scripts/proof

test-engines: ## Run the engine tests on other engines too: ENGINES, of scripts/engines/engines names
	HERETIC_TEST_ENGINE=1 scripts/engines/engines with $(ENGINES) -- \
		$(GO) test -count=1 -timeout 10m -run '^TestEngine' -skip '^TestEngine(Faults|FirstSteps)' ./runner/... ./session/... ./cmd/...

test-keychain: ## Test against a real Secret Service (GNOME Keyring, in a home of its own)
	@scripts/keychain -count=1

faults: ## Play faults at each phase of a session, and write docs/faults.md
	HERETIC_TEST_ENGINE=1 $(GO) test -count=1 -v -timeout 10m -run '^TestEngineFaults' ./session/faulttest -args -table "$$PWD/docs/faults.md"

test-short: ## Run the tests that need no engine
	$(GO) test $(PKG)

lint: ## Check format, vet, static analysis, go.mod and the builds for other systems
	scripts/lint

fuzz: ## Fuzz every parser, each for FUZZTIME (10s)
	@scripts/fuzz $(FUZZTIME)

bench: ## Measure against docker and the bare API, and write the table of docs/performance.md
	@$(ENGINE) $(GO) run ./scripts/bench -write docs/performance.md

clean: ## Remove what was built here, and the test images of the engine in use
	@if addr=$$(scripts/engine find); then HERETIC_TEST_ENGINE="$$addr" $(GO) run ./scripts/testclean -all; fi
	rm -rf bin dist
