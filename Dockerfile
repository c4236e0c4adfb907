# The tests of a change run before an image is built: an image holds what serving needs, no more.
# Any Debian or Ubuntu with python3 (3.11 or newer) and its module venv.
ARG BASE=python:3.13-slim
FROM ${BASE} AS builder
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /opt/stridescope
# For strip; nothing of it goes into the image, so its version is the base's.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends binutils \
    && rm -rf /var/lib/apt/lists/*
COPY requirements/runtime.lock requirements/runtime.lock
COPY deploy/prune.py deploy/prune.py
# Wheels alone, so that no compiler and no package's build script runs here. Bytecode is written
# once, when the sources have their last form, and is not compared with their times.
RUN python3 -m venv .venv \
    && .venv/bin/python -m pip install --require-hashes --only-binary :all: --no-compile \
        -r requirements/runtime.lock \
    && .venv/bin/python -m pip uninstall --yes setuptools pip \
    && .venv/bin/python deploy/prune.py .venv \
    && rm -r deploy requirements \
    && .venv/bin/python -m compileall -q -j 0 --invalidation-mode unchecked-hash .venv/lib
# As in a checkout: to build a wheel here would need tools that the lock does not hold.
COPY pyproject.toml pyproject.toml
COPY app app
COPY static static
COPY templates templates
# Kernels for every level of this kind of processor, whichever machine builds the image.
RUN .venv/bin/python -m compileall -q --invalidation-mode unchecked-hash app \
    && .venv/bin/python -m app.cli kernels kernels

# No command runs in this stage: it needs no shell.
# hadolint ignore=DL3006
FROM ${BASE}
ARG BASE
ARG VERSION=0.1.0
ARG REVISION
ARG CREATED
ARG SOURCE
LABEL org.opencontainers.image.title="Stridescope" \
      org.opencontainers.image.description="See how a tensor lies in memory." \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}" \
      org.opencontainers.image.source="${SOURCE}" \
      org.opencontainers.image.base.name="${BASE}"
WORKDIR /opt/stridescope
# The virtual environment keeps its path: its scripts name it. Its owner stays root, which the
# program is not. OpenBLAS, which nothing here calls, would start a thread for each core.
COPY --from=builder /opt/stridescope /opt/stridescope
ENV PATH=/opt/stridescope/.venv/bin:$PATH \
    PYTHONPATH=/opt/stridescope \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    OPENBLAS_NUM_THREADS=1 \
    STRIDESCOPE_KERNELS=/opt/stridescope/kernels \
    HOST=0.0.0.0 \
    PORT=8000
# By number, so that an orchestrator can see that it is not root.
USER 10001:10001
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=3s --start-period=10s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen(f\"http://127.0.0.1:{os.environ['PORT']}/healthz\", timeout=2)"]
# It reads HOST and PORT, and signal 15 reaches it: there is no shell between.
CMD ["python", "-m", "app.cli", "serve"]
