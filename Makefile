# Everything one does with a checkout; `make` alone lists it.

PYTHON ?= python3
TEST_PROCESSES ?= 3

VENV := .venv
BIN := $(VENV)/bin
RUNTIME := $(VENV)/.runtime-installed
DEVELOPMENT := $(VENV)/.development-installed
NODE_MODULES := clients/node_modules/.package-lock.json
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# The tests start hundreds of processes, so compiled modules are kept. Many wait for those, so there are more
# tests at a time than cores of a small machine.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(TEST_PROCESSES) --dist worksteal
LOCK := CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/pip-compile --quiet --no-config \
	--generate-hashes --allow-unsafe --strip-extras --no-emit-options

STORY := test_examples_are_what_the_server_answers[sqlite]

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo serve install test test-all clients chat check format-check lint types imports audit \
	needs bench sizes lock dist docs examples golden client-types console

help: ## List what there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(RUNTIME) ## Try it out: a server with a small demo app; its options go into ARGS
	$(BIN)/hubbub serve --demo --data ./hubbub-data $(ARGS)

serve: $(RUNTIME) ## Run a server; its options go into ARGS
	$(BIN)/hubbub serve $(ARGS)

install: $(DEVELOPMENT) ## Make .venv with all that development needs

test: needs ## Run the tests, on SQLite and PostgreSQL
	$(PYTEST) -m "not campaign and not clients"

test-all: needs ## Run the tests and the long campaigns
	$(PYTEST) -m "not clients"

clients: $(DEVELOPMENT) $(NODE_MODULES) ## Test clients, generated ones too; needs Node.js and Java
	$(BIN)/python -m pytest -m clients tests/clients tests/browser

chat: $(NODE_MODULES) ## Build the demo chat into the package; needs Node.js
	cd clients/demo && npm run --silent check && npm run --silent build

console: $(NODE_MODULES) ## Copy what the console has of others into the package; needs Node.js
	cd clients/console && npm run --silent build

client-types: $(DEVELOPMENT) $(NODE_MODULES) ## Make the types of the JavaScript client anew
	node clients/js/tools/types.mjs

check: format-check lint types imports test ## Run what CI runs

format-check: $(DEVELOPMENT) ## Check the layout of the code
	$(BIN)/ruff format --check

lint: $(DEVELOPMENT) ## Check the habits of the code
	$(BIN)/ruff check

types: $(DEVELOPMENT) ## Check the types
	$(BIN)/mypy

imports: $(DEVELOPMENT) ## Check that imports point downwards
	$(BIN)/lint-imports

audit: $(DEVELOPMENT) ## Ask for known vulnerabilities of the locked packages
	$(BIN)/python tools/audit.py

examples: $(DEVELOPMENT) ## Record the examples of the document anew
	HUBBUB_RECORD_EXAMPLES=1 $(BIN)/python -m pytest -q "tests/api/http/test_examples.py::$(STORY)"

golden: $(DEVELOPMENT) ## Record anew what webhooks and providers are sent
	HUBBUB_RECORD_GOLDEN=1 $(BIN)/python -m pytest -q tests/golden

bench: $(DEVELOPMENT) ## Measure the speed; the part and its options go into ARGS
	$(BIN)/python -m bench $(ARGS)

sizes: $(DEVELOPMENT) ## Show how large functions, files and folders are
	$(BIN)/python tools/sizes.py

lock: $(DEVELOPMENT) ## Refresh the lock files; ARGS=--upgrade takes the newest versions
	$(LOCK) $(ARGS) --output-file requirements.lock pyproject.toml
	$(LOCK) $(ARGS) --extra dev --constraint requirements.lock \
		--output-file requirements-dev.lock pyproject.toml
	$(LOCK) --only-build-deps --build-deps-for wheel --constraint requirements-dev.lock \
		--output-file requirements-build.lock pyproject.toml
	$(LOCK) $(ARGS) --output-file examples/clients/requirements.lock examples/clients/requirements.in

dist: $(DEVELOPMENT) ## Build a release into dist: wheel, sdist, lock, unit for systemd
	@rm -rf dist
	$(BIN)/python tools/release.py dist

docs: $(DEVELOPMENT) ## Build the site of the documents into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

# Fails early, and with a reason, where the tests could not run.
needs: $(DEVELOPMENT)
	@$(BIN)/python -m tests.postgres

$(NODE_MODULES): clients/package-lock.json
	cd clients && npm ci --no-audit --no-fund

$(RUNTIME): requirements.lock pyproject.toml | $(BIN)/python
	@echo "Installing Hubbub into $(VENV) ..."
	@$(PIP_INSTALL) --require-hashes -r requirements.lock
	@$(PIP_INSTALL) --no-deps -e .
	@touch $@

# The development lock holds the runtime lock, so that one is satisfied too.
$(DEVELOPMENT): requirements-dev.lock requirements.lock pyproject.toml | $(BIN)/python
	@echo "Installing Hubbub and its development tools into $(VENV) ..."
	@$(PIP_INSTALL) --require-hashes -r requirements-dev.lock
	@$(PIP_INSTALL) --no-deps -e .
	@touch $(RUNTIME) $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Hubbub needs Python 3.11 or newer, and $(PYTHON) is not. Name one that is:" \
			"make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -m venv --clear $(VENV) || { rm -rf $(VENV); \
		echo "No virtual environment without its package: apt install python3-venv" >&2; exit 1; }
