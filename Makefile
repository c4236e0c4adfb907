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
PY_TREES := app tests stridescope.py deploy $(wildcard benchmarks)
LIBRARIES := .venv-conformance
PEERS := .venv-bench
DEPLOY := .venv-deploy
DOCS := .venv-docs
MINUTES ?= 30
SEED ?= 1
# One worker a core, at most four: each browser worker is a Chromium.
WORKERS ?= auto
XDIST := --numprocesses=$(WORKERS) --maxprocesses=4 --dist=worksteal
# What installed libraries bring to pytest, each a second or more of imports in each process.
LEAN := -p no:anyio -p no:zarr
LEANEST := $(LEAN) -p no:schemathesis
# A process compiles the modules that it imports, once; pip would compile all.
QUICKLY := --quiet --no-compile
# Beside what Numba keeps on disk.
KERNELS := app/engine/reorder/kernels/__pycache__/.compiled
ENGINES := chromium fonts-dejavu-core fonts-noto-core firefox-esr webkit2gtk-driver xvfb
# The order in which `make test` starts them: the longest first, which needs no kernels, then what
# keeps one core busy.
CHECKS := browser types js wheel processors student lint floors python answers
ANSWERS := tests/api/test_documented_answers.py
PROCESSORS := tests/engine/reorder/test_processors.py
UV_LOCK := uv pip compile --universal --generate-hashes --python-version 3.11 --custom-compile-command "make lock" --quiet
UV_COMPILE := $(UV_LOCK) pyproject.toml --extra fast --extra onnx

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Without bytecode on disk each of the many processes that tests start compiles its modules again,
# and pytest rewrites the asserts of all tests again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help install run test lint types floors js python answers processors wheel browser student browsers bundles system fmt lock conformance lessons attack bench clean \
	coverage image-test deploy-check sbom load soak schema docs docs-check

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

install: $(VENV)/.dev ## a virtual environment at .venv, nothing else

# What serving needs comes first and alone, so that `make run` does not wait for the test tools.
$(VENV)/.runtime: requirements/runtime.lock
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install $(QUICKLY) --require-hashes -r requirements/runtime.lock
	touch $@

$(VENV)/.dev: requirements/dev.lock pyproject.toml setup.py $(VENV)/.runtime
	$(BIN)/python -m pip install $(QUICKLY) --require-hashes -r requirements/dev.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

node_modules/.package-lock.json: package-lock.json
	npm ci --no-audit --no-fund --ignore-scripts
	touch $@

run: $(VENV)/.runtime ## serve on http://127.0.0.1:8000 (HOST and PORT override)
	@echo "Stridescope: http://$(HOST):$(PORT)/   API: http://$(HOST):$(PORT)/docs   (ctrl-c stops)"
	@exec $(BIN)/python -m uvicorn app.main:app --host $(HOST) --port $(PORT)

# Beside each other, each with its own output: one waits for a download, a timer or a frame, while
# another computes, so no core is idle.
test: ## everything that has to hold
	@echo "The parts run side by side; each shows its output when it is done."
	@$(MAKE) --no-print-directory --jobs=3 --output-sync=target FIRST=system \
		system $(VENV)/.dev node_modules/.package-lock.json $(KERNELS) $(CHECKS)

lint: $(VENV)/.dev ## ruff: rules and format
	$(BIN)/ruff check $(PY_TREES) conformance docs setup.py
	$(BIN)/ruff format --check $(PY_TREES) conformance docs setup.py

types: $(VENV)/.dev node_modules/.package-lock.json ## mypy --strict and tsc --checkJs
	$(BIN)/mypy $(PY_TREES) conformance
	MYPYPATH=docs $(BIN)/mypy docs
	$(TSC) -p tsconfig.json
	$(TSC) -p tsconfig.core.json
	$(TSC) -p tsconfig.tests.json

floors: $(VENV)/.dev ## who may import whom
	$(BIN)/lint-imports

# In one process: `node --test` starts one for each of a hundred files, which takes twice as long.
js: node_modules/.package-lock.json ## tests of static/ in node, its floors among them
	node --input-type=module --eval 'for (const each of process.argv.slice(1)) await import(`./$${each}`)' $(JS_TESTS)

# It takes a minute: once, or each program that the tests start would compile them for itself.
$(KERNELS): $(VENV)/.dev $(shell find app/engine/reorder/kernels -name "*.py")
	$(BIN)/python -c 'from app.engine import KERNELS; [list(each.compiling()) for each in KERNELS]'
	@mkdir -p $(@D)
	@touch $@

# FIRST: what must not install at the same time.
python: $(VENV)/.dev $(KERNELS) $(FIRST) ## pytest without a browser
	.ci/system g++
	$(BIN)/python -m pytest $(XDIST) $(LEANEST) --ignore=tests/browser --ignore=tests/wheel \
		--ignore=tests/image --ignore=tests/docs --ignore=$(ANSWERS) --ignore=$(PROCESSORS)

# A run of its own: each worker of a larger one would make the requests of all operations first.
answers: $(VENV)/.dev $(KERNELS) ## pytest of the answers to requests made from OpenAPI
	$(BIN)/python -m pytest $(LEAN) $(ANSWERS)

# A run of its own, beside the kernels for this processor: it needs none of them.
processors: $(VENV)/.dev ## pytest of the kernels compiled for processors without AVX-512
	$(BIN)/python -m pytest $(LEANEST) $(PROCESSORS)

bundles: $(VENV)/.dev node_modules/.package-lock.json ## a few files for each page, for the wheel and the image
	$(BIN)/python deploy/bundle.py

wheel: $(VENV)/.dev node_modules/.package-lock.json system ## pytest of the wheel, installed into an empty environment
	$(BIN)/python -m pytest $(LEANEST) tests/wheel

# A run of its own: playwright keeps an event loop on the main thread, which others must not meet.
browser: $(VENV)/.dev node_modules/.package-lock.json system ## pytest in Debian's chromium, with axe
	$(BIN)/python -m pytest $(XDIST) $(LEANEST) tests/browser

# Last, and alone, it would leave a core idle.
student: $(VENV)/.runtime node_modules/.package-lock.json system ## the student's path in Chromium
	ENGINE=Chromium node --test tests/engines/student.test.js

# Ten minutes on two cores; `make test` makes those of the bounds of each field, and 2 at random.
schema: $(VENV)/.dev ## 300 requests for each operation made from OpenAPI, with all of schemathesis' checks
	SCHEMA_EXAMPLES=300 $(BIN)/python -m pytest $(XDIST) $(LEAN) $(ANSWERS)

# Not part of `make test`: Firefox and WebKit are 500 MB more, and the same tests run in Chromium there.
browsers: $(VENV)/.runtime node_modules/.package-lock.json ## the student's path, first habits and the drawings in Chromium, Firefox and WebKit
	.ci/system $(ENGINES)
	node --test $(sort $(wildcard tests/engines/*.test.js))

system:
	.ci/system

attack: $(VENV)/.dev ## attack a started service on the loopback: memory, time and /healthz beside each
	$(BIN)/python -m tests.attack

fmt: $(VENV)/.dev ## let ruff mend what it can
	$(BIN)/ruff check --fix $(PY_TREES) conformance docs setup.py
	$(BIN)/ruff format $(PY_TREES) conformance docs setup.py

lock: ## resolve again what pyproject.toml asks for (needs uv)
	@command -v uv >/dev/null || { echo "make lock needs uv on the path"; exit 1; }
	$(UV_COMPILE) --upgrade --output-file requirements/runtime.lock
	$(UV_COMPILE) --upgrade --group dev --constraint requirements/runtime.lock \
		--output-file requirements/dev.lock
	$(UV_COMPILE) --resolution lowest-direct --extra cluster --output-file requirements/lowest.lock
	$(UV_LOCK) --upgrade docs/requirements.txt --constraint requirements/runtime.lock \
		--output-file requirements/docs.lock

# About 2 GB the first time. Not part of `make test`: it needs libraries that the program does not.
$(LIBRARIES)/.installed: conformance/requirements.txt conformance/install.py
	test -x $(LIBRARIES)/bin/python || $(PYTHON) -m venv $(LIBRARIES)
	$(LIBRARIES)/bin/python conformance/install.py

conformance: $(LIBRARIES)/.installed ## compare live with oneDNN, PyTorch, NumPy, TVM, CuTe, CUTLASS, XLA, MLIR, ONNX Runtime, OpenVINO, cachegrind
	$(LIBRARIES)/bin/python -m conformance --seed $(SEED)

lessons: $(VENV)/.dev ## every lesson with 10,000 seeds for each level, beside brute force
	$(BIN)/python -m tests.lessons.examined 10000

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

# Beside the tests that `make test` runs, and longer: each line of the program is counted, and
# five times as many random examples are tried, so that none is missed.
coverage: export EXAMPLES := all
coverage: $(VENV)/.dev $(KERNELS) ## branch coverage: 100% of the engine's interpreted code, 95% of the whole
	.ci/system g++
	@rm -rf build/coverage && mkdir -p build/coverage
	CI=1 $(BIN)/coverage run -m pytest $(XDIST) --ignore=tests/browser --ignore=tests/wheel --ignore=tests/image \
		--ignore=tests/docs
	$(BIN)/python -m tests.half_written build/coverage/data.*
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report --include='app/engine/*' --fail-under=100
	$(BIN)/coverage report --fail-under=95

$(DOCS)/.installed: requirements/docs.lock requirements/runtime.lock
	test -x $(DOCS)/bin/python || $(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -m pip install --quiet --require-hashes -r requirements/docs.lock
	$(DOCS)/bin/python -m pip install --quiet --require-hashes -r requirements/runtime.lock
	touch $@

docs: $(DOCS)/.installed ## the documentation as a site in build/docs, without a network
	$(DOCS)/bin/sphinx-build -q -W --keep-going -b html docs build/docs

# Not part of `make test`: LaTeX, JupyterLab and PyTorch are 3 GB that the program does not need.
docs-check: docs $(VENV)/.dev bundles $(LIBRARIES)/.installed ## the site in all forms, every example's LaTeX, a notebook in JupyterLab
	.ci/system chromium texlive-latex-extra texlive-pictures
	$(BIN)/python -m pytest $(LEANEST) tests/docs

$(DEPLOY)/.installed: deploy/requirements.txt
	test -x $(DEPLOY)/bin/python || $(PYTHON) -m venv $(DEPLOY)
	$(DEPLOY)/bin/python -m pip install --quiet -r $<
	touch $@

deploy-check: $(VENV)/.dev $(DEPLOY)/.installed ## lint the Dockerfile; check compose, Kubernetes, the proxy and the dashboard
	.ci/system nginx openssl prometheus
	$(DEPLOY)/bin/hadolint Dockerfile
	$(DEPLOY)/bin/check-jsonschema --builtin-schema vendor.compose-spec compose.yaml
	$(DEPLOY)/bin/kubernetes-validate --strict --quiet deploy/kubernetes.yaml
	$(PYTHON) -m benchmarks.load.proxy
	$(BIN)/python -m benchmarks.load.watched

sbom: $(VENV)/.dev $(DEPLOY)/.installed ## dist/sbom.json: what the image is made of (CycloneDX)
	@mkdir -p dist
	$(BIN)/python deploy/sbom.py > dist/sbom.json
	$(DEPLOY)/bin/python deploy/valid.py dist/sbom.json

# Needs root: buildah and bubblewrap make and run the image where there is no Docker engine.
image-test: $(VENV)/.dev bundles ## build the image, run two replicas behind the proxy, call API and page
	.ci/system buildah mmdebstrap bubblewrap nginx openssl chromium
	$(BIN)/python -m pytest -s tests/image

load: $(VENV)/.dev ## one minute of mixed load through the proxy and two replicas
	.ci/system nginx openssl
	$(BIN)/python -m benchmarks.load --minutes 1

soak: $(VENV)/.dev ## the same for 30 minutes (MINUTES=n); one replica is killed in between
	.ci/system nginx openssl
	$(BIN)/python -m benchmarks.load --minutes $(MINUTES)

clean: ## remove what can be made again
	rm -rf $(VENV) $(LIBRARIES) $(PEERS) $(DEPLOY) $(DOCS) docs/generated node_modules build test-results .mypy_cache .ruff_cache .pytest_cache \
		.hypothesis .import_linter_cache
	find app tests -name __pycache__ -type d -prune -exec rm -rf {} +
