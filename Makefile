# Everything a developer types. `make help` lists it.
.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -euo pipefail -c

PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin
TSC := node_modules/.bin/tsc
JS_TESTS = $(sort $(shell find tests/js tests/floors -name '*.test.js'))
PY_TREES := app tests stridescope.py $(wildcard benchmarks)
LIBRARIES := .venv-conformance
PEERS := .venv-bench
SEED ?= 1
# One worker a core, at most four: each browser worker is a Chromium.
WORKERS ?= auto
XDIST := --numprocesses=$(WORKERS) --maxprocesses=4 --dist=worksteal
# Beside what Numba keeps on disk.
KERNELS := app/engine/reorders/numba/__pycache__/.compiled
ENGINES := chromium fonts-dejavu-core fonts-noto-core firefox-esr webkit2gtk-driver xvfb
CHECKS := wheel types js lint floors
UV_COMPILE := uv pip compile pyproject.toml --extra fast --extra onnx --universal --generate-hashes \
	--python-version 3.11 --custom-compile-command "make lock" --quiet

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help install run test lint types floors js python wheel browser browsers system fmt lock conformance bench clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' Makefile

install: $(VENV)/.dev ## a virtual environment at .venv, nothing else

# What serving needs comes first and alone, so that `make run` does not wait for the test tools.
$(VENV)/.runtime: requirements/runtime.lock
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements/runtime.lock
	touch $@

$(VENV)/.dev: requirements/dev.lock pyproject.toml setup.py $(VENV)/.runtime
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements/dev.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

node_modules/.package-lock.json: package-lock.json
	npm ci --no-audit --no-fund --ignore-scripts
	touch $@

run: $(VENV)/.runtime ## serve on http://127.0.0.1:8000 (HOST and PORT override)
	@echo "Stridescope: http://$(HOST):$(PORT)/   API: http://$(HOST):$(PORT)/docs   (ctrl-c stops)"
	@exec $(BIN)/python -m uvicorn app.main:app --host $(HOST) --port $(PORT)

# First what keeps one core busy, or waits for downloads as the wheel does, beside each other and
# each with its own output; then the tests, which keep all cores busy.
test: $(VENV)/.dev node_modules/.package-lock.json system ## everything that has to hold
	@$(MAKE) --no-print-directory --jobs=3 --output-sync=target $(KERNELS) $(CHECKS)
	@$(MAKE) --no-print-directory --jobs=1 python browser

lint: $(VENV)/.dev ## ruff: rules and format
	$(BIN)/ruff check $(PY_TREES) conformance setup.py
	$(BIN)/ruff format --check $(PY_TREES) conformance setup.py

types: $(VENV)/.dev node_modules/.package-lock.json ## mypy --strict and tsc --checkJs
	$(BIN)/mypy $(PY_TREES)
	$(BIN)/mypy --ignore-missing-imports conformance
	$(TSC) -p tsconfig.json
	$(TSC) -p tsconfig.core.json
	$(TSC) -p tsconfig.tests.json

floors: $(VENV)/.dev ## who may import whom
	$(BIN)/lint-imports

js: node_modules/.package-lock.json ## node --test, the floors of static/ among them
	node --test $(JS_TESTS)

# It takes a minute: once, or each worker of the tests would compile them for itself.
$(KERNELS): $(VENV)/.dev $(shell find app/engine -path '*numba*.py')
	$(BIN)/python -c 'from app.engine import KERNELS; [list(each.compiling()) for each in KERNELS]'
	@mkdir -p $(@D)
	@touch $@

python: $(VENV)/.dev $(KERNELS) ## pytest without a browser
	.ci/system g++
	$(BIN)/python -m pytest $(XDIST) --ignore=tests/browser --ignore=tests/wheel

wheel: $(VENV)/.dev ## pytest of the wheel, installed into an empty environment
	$(BIN)/python -m pytest tests/wheel

# A run of its own: playwright keeps an event loop on the main thread, which others must not meet.
browser: $(VENV)/.dev node_modules/.package-lock.json system ## pytest in Debian's chromium, with axe
	$(BIN)/python -m pytest $(XDIST) tests/browser
	ENGINE=Chromium node --test tests/engines/student.test.js

# Not part of `make test`: Firefox and WebKit are 500 MB more, and the same tests run in Chromium there.
browsers: $(VENV)/.runtime node_modules/.package-lock.json ## the student's path and the drawings in Chromium, Firefox and WebKit
	.ci/system $(ENGINES)
	node --test $(sort $(wildcard tests/engines/*.test.js))

system:
	.ci/system

fmt: $(VENV)/.dev ## let ruff mend what it can
	$(BIN)/ruff check --fix $(PY_TREES) conformance setup.py
	$(BIN)/ruff format $(PY_TREES) conformance setup.py

lock: ## resolve again what pyproject.toml asks for (needs uv)
	@command -v uv >/dev/null || { echo "make lock needs uv on the path"; exit 1; }
	$(UV_COMPILE) --upgrade --output-file requirements/runtime.lock
	$(UV_COMPILE) --upgrade --group dev --constraint requirements/runtime.lock \
		--output-file requirements/dev.lock

# About 2 GB the first time. Not part of `make test`: it needs libraries that the program does not.
$(LIBRARIES)/.installed: conformance/requirements.txt conformance/install.py
	test -x $(LIBRARIES)/bin/python || $(PYTHON) -m venv $(LIBRARIES)
	$(LIBRARIES)/bin/python conformance/install.py

conformance: $(LIBRARIES)/.installed ## compare live with oneDNN, PyTorch, NumPy, TVM, CuTe, CUTLASS, XLA, MLIR, ONNX Runtime, cachegrind
	$(LIBRARIES)/bin/python -m conformance --seed $(SEED)

# About 2 GB the first time. Line by line, so that a peer that cannot be had keeps none of the
# others away: what is missing is named in the table.
$(PEERS)/.installed: requirements/runtime.lock benchmarks/reorder/requirements.txt
	test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --require-hashes -r requirements/runtime.lock
	sed 's/\#.*//' benchmarks/reorder/requirements.txt \
		| xargs -L1 $(PEERS)/bin/python -m pip install --quiet || true
	touch $@

bench: $(PEERS)/.installed ## reorders beside NumPy, PyTorch, oneDNN, OpenCV, JAX and a copy of memory
	$(PEERS)/bin/python -m benchmarks.reorder

clean: ## remove what can be made again
	rm -rf $(VENV) $(LIBRARIES) $(PEERS) node_modules test-results .mypy_cache .ruff_cache .pytest_cache \
		.hypothesis .import_linter_cache
	find app tests -name __pycache__ -type d -prune -exec rm -rf {} +
