# Podium's commands; `make` alone lists them. Extra arguments go through ARGS, for example
# `make run ARGS='-o json'`; another interpreter through PYTHON.
PYTHON ?= python3
SEED   ?= 1
COUNT  ?= 20
ARGS   ?=

BIN   := .venv/bin
STAMP := .venv/.installed
STATE := examples/best-practice/state
NEWS  := examples/best-practice/orange.yaml

OLD_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))

# Tests start hundreds of processes, which would compile all they import each time.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup run test format lint types imports pytest fmt soak mutants bench docs clean page browser

help: ## list the commands
	@awk 'BEGIN {FS = ":.*## "} /^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMP) page browser ## install Podium and its tools into .venv (only when something changed)
	@:

# The stamp lives in the environment, so that removing .venv removes it too.
$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c '$(OLD_ENOUGH)' 2>/dev/null || { \
	  echo "Podium needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>/dev/null || echo missing)." >&2; \
	  echo "Name another one: make setup PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(BIN)/python -c '$(OLD_ENOUGH)' 2>/dev/null || $(PYTHON) -m venv --clear .venv
	@echo "Installing Podium and its tools into .venv ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  --constraint constraints.txt --editable '.[dev]'
	@touch $@

# Only those who change the dashboard need npm.
page: ## build the dashboard's page, if its sources changed
	@cd dashboard && export LC_ALL=C && sha256sum build.js package-lock.json package.json src/* \
	  tsconfig.json | cmp -s - ../podium/ui/dashboard/page/sources.sha256 || { \
	  command -v npm >/dev/null || { echo "The dashboard isn't built anew: there is no npm." >&2; exit 0; }; \
	  echo "Building the dashboard ..."; \
	  npm ci --silent --ignore-scripts && npm run --silent build; }

# Tests that need one are skipped where there is none.
browser:
	@command -v chromium >/dev/null || [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null || { \
	  echo "Installing Chromium for the tests of the dashboard ..."; \
	  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends chromium; } >/dev/null || \
	    echo "There is no Chromium: the tests of the dashboard will be skipped." >&2; }
	@[ -d dashboard/node_modules/axe-core ] || ! command -v npm >/dev/null || \
	  npm ci --prefix dashboard --silent --ignore-scripts --fetch-retries 0 || echo "axe isn't installed: pages are tested without it." >&2

# It goes on until Ctrl-C, if there is anybody to press it.
run: $(STAMP) page ## run a cluster with the best-practice example, in which orange preempts
	@$(BIN)/podium up -f $(STATE) --apply $(NEWS) --speed 10x \
	  $$(test -t 1 || echo --exit-when-settled) $(ARGS)

test: format lint types imports pytest ## check everything (make -k test: go on after a failure)

format: $(STAMP)
	@$(BIN)/ruff format --check --quiet --diff . || { \
	  echo "Some files aren't formatted: make fmt" >&2; exit 1; }

lint: $(STAMP)
# Which imports are our own depends on other files, which a cache by file misses.
	@$(BIN)/ruff check --quiet --no-cache .

types: $(STAMP)
	@$(BIN)/mypy --no-error-summary

imports: $(STAMP)
	@$(BIN)/lint-imports --no-logo

pytest: $(STAMP) page browser
	@$(BIN)/pytest -q -n 3 --dist loadfile $(ARGS)

fmt: $(STAMP) ## format the code and apply safe fixes
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format --quiet .

soak: $(STAMP) ## run thousands of seeds and long properties (SEED=n replays one run)
	@$(BIN)/pytest -q -n auto --dist loadgroup -m 'soak or not soak' --hypothesis-profile=soak \
	  --hypothesis-seed=$(SEED) $(ARGS)

mutants: $(STAMP) ## change the code in COUNT places, and list the changes that no test notices (SEED=n)
	@$(BIN)/python -m tests.mutants --seed $(SEED) --count $(COUNT) $(ARGS)

bench: $(STAMP) ## measure the scheduling workloads
	@$(BIN)/podium bench $(ARGS)

docs: $(STAMP) ## build the documentation as a site, build/site/index.html; links are checked
	@$(BIN)/python -m website.pages build/pages
	@$(BIN)/sphinx-build -q -W --keep-going -j auto -c website build/pages build/site
	@echo "build/site/index.html"

clean: ## remove everything that the other commands made
	@rm -rf .venv build dist *.egg-info .hypothesis .import_linter_cache .mypy_cache \
	  .pytest_cache .ruff_cache dashboard/node_modules
	@find podium tests benchmarks -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
