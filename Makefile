# Everything a developer does. GNU make 4 and a POSIX shell; nothing here needs root, and Node.js comes as a Python package.
# What is set up is remembered in stamp files, so that a second run is instant and needs no network.

MAKEFLAGS += --no-print-directory
.DELETE_ON_ERROR:

BIN := .venv/bin
HOST_PATH := $(PATH)
# Programs that npm starts look for node here.
export PATH := $(CURDIR)/$(BIN):$(PATH)

#: A Python to use in place of the newest one on the PATH.
PYTHON ?=
#: Test processes.
JOBS ?= 3
#: Further arguments for pytest, such as ARGS="tests/domain -k accounts".
ARGS ?=

PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
PYTEST := $(BIN)/pytest $(ARGS)
FAST := -n $(JOBS) -m "not clients and not browser and not slow"
NPM_CI := npm ci --include=dev --no-audit --no-fund --prefer-offline
UV_COMPILE := uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -q

PACKAGES := .venv/.stamp-packages
DEVELOPMENT := .venv/.stamp-development
PROGRAM := .venv/.stamp-program
WEB_PACKAGES := web/node_modules/.stamp
WEB := server/static/.stamp
CLIENT_PACKAGES := tests/clients/node_modules/.stamp
CLIENT_TOOLS := tests/clients/.venv/.stamp
# Folders too: their times change when a file goes.
WEB_SOURCES := $(shell find web/src web/public) $(wildcard web/*.html web/*.ts web/*.json)

.PHONY: help
help: ## Show what there is.
	@grep -E '^[a-z-]+:.*## ' Makefile | while IFS= read -r line; do \
		printf '%-14s %s\n' "$${line%%:*}" "$${line##*## }"; \
	done

# -- set-up

.PHONY: setup
setup: $(PROGRAM) $(WEB) ## Install what the server needs into .venv and build the web pages.

.PHONY: development
development: setup $(DEVELOPMENT) ## The same, with everything that tests and linters need.

# An installation that was killed half-way leaves .stamp-unfinished; then the environment is made anew.
ifneq ($(wildcard .venv/.stamp-unfinished),)
$(PACKAGES): FORCE
endif
FORCE:

$(PACKAGES): requirements/runtime.txt requirements/build.txt requirements/newest-python
	@if [ -e .venv/.stamp-unfinished ] || ! $(BIN)/python -c 'import sys, pip; assert sys.version_info >= (3, 11)' 2>/dev/null; then \
		python=$$(PATH="$(HOST_PATH)" sh requirements/newest-python $(PYTHON)) || exit 1; \
		echo "Making .venv with $$("$$python" --version)"; \
		"$$python" -m venv --clear .venv || exit 1; \
	fi
	@touch .venv/.stamp-unfinished
	@echo "Installing packages"
	$(PIP) --require-hashes -r requirements/runtime.txt -r requirements/build.txt
	@rm -f .venv/.stamp-unfinished
	@touch $@

$(DEVELOPMENT): $(PACKAGES) requirements/dev.txt
	@echo "Installing packages for tests and linters"
	@touch .venv/.stamp-unfinished
	$(PIP) --require-hashes -r requirements/dev.txt
	@rm -f .venv/.stamp-unfinished
	@touch $@

$(PROGRAM): $(PACKAGES) pyproject.toml
	$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(WEB_PACKAGES): web/package.json web/package-lock.json | $(PACKAGES)
	cd web && $(NPM_CI)
	@touch $@

$(WEB): $(WEB_PACKAGES) $(WEB_SOURCES)
	cd web && npm run --silent build
	@touch $@

$(CLIENT_PACKAGES): tests/clients/package.json tests/clients/package-lock.json | $(PACKAGES)
	cd tests/clients && $(NPM_CI)
	@touch $@

$(CLIENT_TOOLS): requirements/clients.txt | $(PACKAGES)
	$(BIN)/python -m venv --clear tests/clients/.venv
	tests/clients/.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/clients.txt
	@touch $@

# -- using it

.PHONY: demo
demo: setup ## Start a server, make two assets and show their way.
	@$(BIN)/wonder demo

# -- checking it

.PHONY: test
test: development ## Run the fast tests, on SQLite and PostgreSQL.
	@cd web && npm test --silent
	@$(PYTEST) $(FAST)

.PHONY: coverage
coverage: development ## Run the same tests and hold the coverage of branches.
	@# Absolute, so that picture processes of servers that tests start elsewhere find them too.
	@COVERAGE_FILE="$(CURDIR)/.coverage" $(PYTEST) $(FAST) --cov --cov-config="$(CURDIR)/pyproject.toml" --cov-report=term

.PHONY: test-slow
test-slow: development ## Run the tests that take minutes.
	@$(PYTEST) -n $(JOBS) -m slow

.PHONY: test-clients
test-clients: development $(CLIENT_PACKAGES) $(CLIENT_TOOLS) ## Run real GraphQL clients, atlases in PixiJS and Phaser, and the vendors' SDKs on our contract servers.
	@$(PYTEST) -m clients

.PHONY: test-browser
test-browser: development $(CLIENT_PACKAGES) ## Run the pages in a real browser.
	@$(PYTEST) -m browser

.PHONY: lint
lint: development ## Run everything that reads code.
	ruff check .
	ruff format --check .
	mypy
	lint-imports
	codespell
	deptry .
	cd web && npm run --silent typecheck
	wonder schema | diff docs/schema.graphql - || { echo "docs/schema.graphql is out of date: run make schema" >&2; exit 1; }

.PHONY: bench
bench: development ## Run the benchmarks.
	@for file in $(filter-out benchmarks/packing.py benchmarks/running_server.py benchmarks/probed_server.py benchmarks/job_service.py benchmarks/contact_sheet.py benchmarks/clip_sheet.py,$(wildcard benchmarks/*.py)); do \
		echo "== $$file"; $(BIN)/python "$$file" || exit 1; \
	done

# -- writing files that are kept

.PHONY: schema
schema: development ## Write docs/schema.graphql.
	wonder schema > docs/schema.graphql.new
	mv docs/schema.graphql.new docs/schema.graphql

.PHONY: migration
migration: development ## Write the next migration from the models.
	@$(BIN)/python -m domain.migration_changes
	@$(BIN)/ruff format --quiet domain/migrations

.PHONY: lock
lock: development ## Bring the locks up to date with pyproject.toml; UPGRADE=--upgrade takes newer versions.
	$(UV_COMPILE) $(UPGRADE) --group dev -o requirements/dev.txt
	$(UV_COMPILE) -c requirements/dev.txt -o requirements/runtime.txt
	uv pip compile --group build --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -q \
		-c requirements/dev.txt -o requirements/build.txt
	uv pip compile --group clients --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -q \
		-o requirements/clients.txt

.PHONY: clean
clean: ## Remove what was installed, built and cached; data stays.
	rm -rf .venv web/node_modules tests/clients/node_modules tests/clients/.venv server/static build dist
	rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache .coverage .coverage.*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
