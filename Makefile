# mcpstorm: every command that its developers and its readers type.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --warn-undefined-variables
.DEFAULT_GOAL := help

GO    ?= go
TOOL  := $(GO) tool -modfile=go.tools.mod
FLAGS ?=
TESTFLAGS ?=
FUZZTIME ?= 30s
EVENTS ?= 10000000

.PHONY: cross nightly same capacity baselines help storm museum chance build test check fmt vet staticcheck tidy bench bench-check matrix fuzz golden types screenshots

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

storm: ## drive 512 rollouts through real connection cuts, and print the verdict
	$(GO) run ./cmd/mcpstorm run scenarios/user-turns.js $(FLAGS)

museum: build ## plant what is known to be broken, with three seeds, and then under one plan that knows none of it
	bin/mcpstorm museum --seeds 3
	bin/mcpstorm museum --generic

FM-%: build ## plant one of it: make FM-05
	bin/mcpstorm museum $@

chance: build ## find FM-05 by nothing but chance in 2,000 rollouts, and count how often it comes again
	rm -rf runs/chance
	bin/mcpstorm run scenarios/museum/chance.js --bug FM-05 --no-charts --dir runs/chance || test $$? -eq 1
	bin/mcpstorm reproduce runs/chance --invariant exactly-once-turns

build: ## build bin/mcpstorm
	$(GO) build -o bin/mcpstorm ./cmd/mcpstorm

test: ## every test, with the race detector and in random order
	$(GO) test -race -shuffle=on -count=1 -timeout 25m $(TESTFLAGS) ./...

check: fmt vet staticcheck tidy types ## what a change must pass beside its tests

fmt:
	@out=$$($(TOOL) gofumpt -l $$(git ls-files '*.go')); test -z "$$out" || { echo "gofumpt would change:"; echo "$$out"; exit 1; }

vet:
	$(GO) vet ./...

staticcheck:
	$(TOOL) staticcheck ./...

tidy:
	$(GO) mod tidy -diff

types: ## check xk6-mcp/index.d.ts, and the scenarios against it, with tsc
	@command -v node >/dev/null && command -v npm >/dev/null || { echo "make types: node 20 and npm check xk6-mcp/index.d.ts, and one of them is not installed" >&2; exit 1; }
	cd ci/types && npm ci --no-audit --no-fund --ignore-scripts --loglevel=error && npm run --silent check

bench: build ## calls a second and CPU a call, as ratios to a plain net/http echo in the same run; events a second of check
	$(GO) run ./ci/bench
	$(GO) run ./ci/checkbench

bench-check: build ## judge EVENTS events (ten million) once: how fast, and how much memory it takes
	$(GO) run ./ci/checkbench -events $(EVENTS) -rounds 1

matrix: ## every cut, manner, client and era, 200 attempts a cell, against ci/matrix/allowed.txt; writes runs/matrix
	$(GO) run ./ci/matrix -out runs/matrix $(FLAGS)

fuzz: ## fuzz everything that parses bytes, FUZZTIME each
	ci/fuzz.sh $(FUZZTIME)

golden: ## rewrite every golden file
	$(GO) test ./reports ./reports/chart ./xk6-mcp/engine/summary -update

screenshots: ## take the pictures of reports in docs/ again (wants chromium)
	ci/browser/screenshots.sh

cross: ## build bin/mcpstorm-OS-ARCH for linux, darwin and windows on amd64 and arm64
	@for os in linux darwin windows; do for arch in amd64 arm64; do \
		suffix=$$([[ $$os == windows ]] && echo .exe || true); \
		CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch $(GO) build -trimpath -o bin/mcpstorm-$$os-$$arch$$suffix ./cmd/mcpstorm; \
		echo bin/mcpstorm-$$os-$$arch$$suffix; \
	done; done

SCENARIO ?= user-turns
ERA      ?= 2025-11-25
nightly: ## one cell of the nightly job: SCENARIO in ERA, into runs/nightly
	ci/nightly.sh $(SCENARIO) $(ERA) runs/nightly/$(SCENARIO)-$(ERA)

same: ## compare two runs of the same thing, 20 times: at most 2 may differ
	ci/same.sh 20

capacity: ## find three limits that are known, each within 5 %
	ci/capacity.sh

baselines: ## renew ci/baselines from this commit, on this host
	ci/baselines.sh
