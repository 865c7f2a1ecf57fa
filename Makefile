# Every target does its own set-up: a machine with python3, pip, git and make is enough.
PYTHON ?= python3
UV_VERSION := 0.13.7
VENV := .venv
BIN := $(VENV)/bin
UV := .tools/uv-$(UV_VERSION)/bin/uv
TSC_VERSION := 7.0.2
TSC := .tools/node/node_modules/.bin/tsc
# They read the API's description as its users' tools do.
REDOCLY_VERSION := 2.77.0
OPENAPI_TYPESCRIPT_VERSION := 7.13.0
TYPESCRIPT_5_VERSION := 5.9.3
OPENAPI_TOOLS := .tools/openapi/node_modules/.bin/redocly
# Many tests wait for a process or a lease, so two for each core.
JOBS ?= $(shell expr 2 \* $$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2))
export PYTHONPATH := src
# Tests start hundreds of processes: compiled once, they start in a third of the time.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: dev
dev: $(VENV)/.installed ## Run the example app on an embedded PostgreSQL (Ctrl-C stops it)
	@$(BIN)/headrace dev $(ARGS)

.PHONY: test
test: lint types layers check ## Lint, check types and layers, and run each rule's tests once: under five minutes
	@$(MAKE) --no-print-directory tests ARGS='-m "not thorough" $(ARGS)'

.PHONY: test-all
test-all: lint types layers check tests ## The same with all tests, on every PostgreSQL that is here; this is what CI runs

.PHONY: lint
lint: $(VENV)/.installed ## Check style with ruff
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

.PHONY: types
types: $(VENV)/.installed ## Check types with mypy, strictly
	@$(BIN)/mypy

.PHONY: layers
layers: $(VENV)/.installed ## Check that each layer imports only those below it
	@$(BIN)/lint-imports --no-logo

.PHONY: check
check: ## Check the types of the dashboard's scripts with tsc, where Node is installed
	@if ! command -v npm >/dev/null; then echo "Node is not installed, so the dashboard's types are not checked."; \
		elif ! $(MAKE) --no-print-directory $(TSC); then echo "tsc cannot be fetched, so the dashboard's types are not checked."; \
		else $(TSC) -p src/headrace/web/jsconfig.json; fi

.PHONY: openapi-tools
openapi-tools: ## Fetch the tools with which the API's description is tested, where Node is installed
	@if ! command -v npm >/dev/null; then echo "Node is not installed, so the API's description is tested with Python alone."; \
		elif ! $(MAKE) --no-print-directory $(OPENAPI_TOOLS); then echo "redocly and openapi-typescript cannot be fetched, so tests leave them out."; fi

.PHONY: chromium
chromium: ## Install Debian's Chromium, with which the dashboard is tested, where that is allowed
	@$(PYTHON) scripts/install_chromium.py

.PHONY: screenshots
screenshots: $(VENV)/.installed chromium ## Take pictures of every screen into docs/images/
	@$(BIN)/python -m scripts.take_screenshots $(ARGS)

.PHONY: tests
tests: $(VENV)/.installed chromium openapi-tools ## Run all tests in parallel (ARGS="-k cancel" to choose)
	@$(BIN)/pytest -n $(JOBS) --dist worksteal $(ARGS)

.PHONY: test-long
test-long: $(VENV)/.installed ## Try every change of clocks, and faults for longer (about 40 minutes)
	@LONG_TESTS=1 $(BIN)/pytest -n $(JOBS) --timeout 3600 tests/model tests/chaos/test_triggers.py tests/chaos/test_events.py tests/chaos/test_limits.py tests/chaos/test_frozen_database.py tests/api/test_schemathesis.py $(ARGS)
	@LONG_TESTS=1 $(BIN)/pytest --timeout 3600 tests/chaos/storm/long_storm.py $(ARGS)

.PHONY: redteam
redteam: $(VENV)/.installed chromium ## Attack the product as strangers would, on loopback: a table of cases and what held
	@$(BIN)/python -m tests.security -n $(JOBS) $(ARGS)

.PHONY: bench
bench: $(VENV)/.installed ## Measure speed: a table here, JSON in bench/results/
	@$(BIN)/python -m bench $(ARGS)

.PHONY: docs
docs: $(VENV)/.installed ## Write the reference pages, the dashboard's types and the schema that come from the code
	@$(BIN)/python -m scripts.write_reference
	@$(BIN)/python -m scripts.write_schema

.PHONY: keep-schema
keep-schema: $(VENV)/.installed ## Keep the schema of this release for the tests of upgrades, once for each release
	@$(BIN)/python -m scripts.keep_schema

.PHONY: format
format: $(VENV)/.installed ## Rewrite the code in the project's style
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

.PHONY: lock
lock: $(UV) ## Choose newer dependencies and write requirements.lock
	@$(UV) pip compile --quiet --upgrade --universal --generate-hashes --no-header --no-annotate \
		--no-emit-index-url --no-emit-find-links --group dev --python-version 3.11 -o requirements.lock pyproject.toml

.PHONY: clean
clean: ## Remove what the other targets made, the embedded database excepted
	@rm -rf $(VENV) .tools .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist

$(VENV)/.installed: requirements.lock pyproject.toml $(UV)
	@echo "Setting up $(VENV) ..."
	@test -x $(BIN)/python || $(UV) venv --quiet --python $(PYTHON) $(VENV)
	@$(UV) pip sync --quiet --compile-bytecode --python $(BIN)/python --require-hashes requirements.lock
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --editable .
	@touch $@

# The same versions as in vendor/versions.json, for their types.
$(TSC): src/headrace/web/static/vendor/versions.json
	@echo "Fetching tsc ..."
	@npm install --silent --no-save --no-package-lock --prefix .tools/node typescript@$(TSC_VERSION) \
		$$($(PYTHON) scripts/vendored.py)
	@touch $@

# Apart from tsc's folder: openapi-typescript needs an older TypeScript.
$(OPENAPI_TOOLS): Makefile
	@echo "Fetching redocly and openapi-typescript ..."
	@npm install --silent --no-save --no-package-lock --prefix .tools/openapi @redocly/cli@$(REDOCLY_VERSION) \
		openapi-typescript@$(OPENAPI_TYPESCRIPT_VERSION) typescript@$(TYPESCRIPT_5_VERSION)
	@touch $@

$(UV):
	@echo "Fetching uv ..."
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-warn-script-location \
		--target .tools/uv-$(UV_VERSION) uv==$(UV_VERSION)
