# A target that a person calls carries one line of help behind its ##.
.DEFAULT_GOAL := help

PYTHON ?= $(shell command -v python3.11 || command -v python3 || echo python3)
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

# What mypy must find strictly typed.
TYPED := libs/common/src $(wildcard $(foreach part,domain domain.py ports.py ports application application.py,services/*/src/*/$(part)))

WEB := web
# The gateway serves the page from here; its wheel contains it.
PAGE := services/gateway/src/superagent_gateway/static/index.html
PAGE_PACKAGES := $(WEB)/node_modules/.installed
PAGE_SOURCES := $(shell find $(WEB)/src $(WEB)/public -type f ! -name '*.test.*') \
	$(WEB)/index.html $(WEB)/vite.config.ts $(WEB)/tsconfig.json $(WEB)/package.json

# What is locked for everybody: all extras of pyproject.toml but `ocr`.
EXTRAS := gateway orchestrator agent-executor memory trace retrieval ingestion litellm mysql postgresql embedded dev
COMPILE := build/lock/bin/pip-compile --quiet --strip-extras --allow-unsafe --generate-hashes --no-header \
	--no-emit-index-url --no-emit-trusted-host --no-emit-find-links

.PHONY: help install install-ocr page page-types run demo test test-real lint format proto proto-check settings migration lock eval eval-plans calibrate-floor bench corpus chaos

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(INSTALLED) ## Make .venv with the locked packages (only when the lock or pyproject.toml changed)

$(INSTALLED): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
		|| { echo "Python 3.11 or newer is needed: install it or name it with PYTHON=" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
		|| { echo "Python's venv module is missing: on Debian, apt-get install python3-venv" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing the locked packages into $(VENV)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@# pip refuses an editable install under --require-hashes, so the product itself comes second.
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

page: $(PAGE) ## Build the web page (only when its sources changed; needs Node 20.19 or newer)

$(PAGE): $(PAGE_SOURCES) $(PAGE_PACKAGES)
	@echo "Building the page"
	@cd $(WEB) && npm run --silent build -- --logLevel warn

$(PAGE_PACKAGES): $(WEB)/package-lock.json $(WEB)/.npmrc | $(INSTALLED)
	@$(BIN)/python -m dev.node
	@echo "Installing the page's locked packages into $(WEB)/node_modules"
	@cd $(WEB) && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

page-types: $(INSTALLED) $(PAGE_PACKAGES) ## Write the page's types from the gateway's API
	@$(BIN)/python -m dev.page_types

run: $(INSTALLED) $(PAGE) ## Run everything on this machine (PORT=8080 DATA_DIR=data PROCESSES=grouped|separate)
	@$(BIN)/python -m dev.all_in_one --stop-with-parent

demo: $(INSTALLED) $(PAGE) ## Register, upload, ask and show the answer with its timeline (FILES="a.pdf b.md")
	@$(BIN)/python -m dev.demo $(FILES)

test: $(INSTALLED) $(PAGE) ## Run every test, in parts side by side (ARGS="-k words" runs chosen ones of Python alone)
	@$(if $(ARGS),$(BIN)/pytest $(ARGS),$(BIN)/python -m dev.all_tests)

test-real: $(INSTALLED) ## Run the tests that need real servers, on those that are found or named (OPENSEARCH_URL= QDRANT_URL= POSTGRESQL_URL= MYSQL_URL=)
	@$(BIN)/python -m tests.real $(ARGS)

chaos: $(INSTALLED) $(PAGE) ## Kill processes of the fleet at random while it reads documents (KILLS=200 SEED=number)
	@CHAOS_KILLS=$(or $(KILLS),200) CHAOS_SEED=$(SEED) REDIS_AWAY_SECONDS=60 \
		$(BIN)/pytest tests/chaos tests/integration/test_turns_without_redis.py -o log_cli=true

lint: $(INSTALLED) $(PAGE_PACKAGES) proto-check ## Check style, types, the direction of imports and the contracts
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy $(TYPED)
	@$(BIN)/lint-imports
	@$(BIN)/buf lint
	@$(BIN)/buf breaking --against protos/baseline.binpb
	@$(BIN)/python -m dev.settings_reference --check
	@$(BIN)/python -m dev.page_types --check
	@cd $(WEB) && npm run --silent lint

format: $(INSTALLED) $(PAGE_PACKAGES) ## Format the code
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .
	@cd $(WEB) && npm run --silent format

proto: $(INSTALLED) ## Generate protos/gen from protos/superagent
	@$(BIN)/python -m dev.generate_protos

proto-check: $(INSTALLED) ## Check that protos/gen is what `make proto` would generate
	@$(BIN)/python -m dev.generate_protos --check

settings: $(INSTALLED) ## Write docs/settings.md from the settings models
	@$(BIN)/python -m dev.settings_reference

migration: $(INSTALLED) ## Write a service's next database migration (SERVICE=memory NAME=what_it_does)
	@$(BIN)/python -m dev.make_migration $(SERVICE) $(NAME)

lock: ## Write requirements.lock and requirements-ocr.lock anew from pyproject.toml (takes minutes)
	@$(PYTHON) -m venv --clear build/lock
	@build/lock/bin/python -m pip install --quiet --disable-pip-version-check pip-tools
	@$(COMPILE) $(addprefix --extra=,$(EXTRAS)) --output-file=build/lock/requirements.txt pyproject.toml
	@{ printf '# Versions and hashes only. Made by `make lock`.\n\n'; cat build/lock/requirements.txt; } > requirements.lock
	@# Hundreds of megabytes that only whoever reads scans needs.
	@$(COMPILE) --extra=ocr --constraint=requirements.lock --output-file=build/lock/ocr.txt pyproject.toml
	@{ printf '# As requirements.lock, with the extra `ocr`. Made by `make lock`.\n\n'; cat build/lock/ocr.txt; } > requirements-ocr.lock

install-ocr: $(INSTALLED) ## Add what reads text in scans and pictures (355 MB)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-ocr.lock

corpus: $(INSTALLED) ## Ingest every file of a folder with INDEX.tsv and compare with what it expects (CORPUS=folder)
	@test -n "$(CORPUS)" || { echo "Name the folder: make corpus CORPUS=..." >&2; exit 2; }
	@$(BIN)/python -m evals.corpus $(CORPUS) $(ARGS)

eval: $(INSTALLED) ## Find the right passages of question sets and compare with accepted figures (DATA=folder ARGS="--every 4")
	@$(BIN)/python -m evals.retrieval $(DATA) $(ARGS)

eval-plans: $(INSTALLED) ## Plan the golden cases with LLM_MODEL, or public sets also by the rules (DATA=folder ARGS="--every 10")
	@$(BIN)/python -m evals.plans $(DATA) $(ARGS)

calibrate-floor: $(INSTALLED) ## Find what the cosines of EMBEDDING_MODEL mean, and print the setting for it
	@$(BIN)/python -m evals.calibrate

bench: $(INSTALLED) ## Measure everything beside raw floors (one figure: make bench-turns, -start, -memory, ...)
	@$(BIN)/python -m bench $(FIGURE)

bench-%: $(INSTALLED)
	@$(BIN)/python -m bench.$*
