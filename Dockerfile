# The tests of a change run before an image is built: an image holds what serving needs, no more.
FROM python:3.13-slim AS builder
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /opt/stridescope
RUN python -m venv .venv
COPY requirements/runtime.lock requirements/runtime.lock
# Wheels alone, so that no compiler and no package's build script runs here. Bytecode is written
# now because nothing may be written later.
RUN .venv/bin/python -m pip install --require-hashes --only-binary :all: --compile \
        -r requirements/runtime.lock \
    && .venv/bin/python -m pip uninstall --yes pip
# As in a checkout: to build a wheel here would need tools that the lock does not hold.
COPY pyproject.toml pyproject.toml
COPY app app
COPY static static
COPY templates templates
# The kernels that Numba makes are for this machine's processor; another one makes its own at start.
ENV NUMBA_CACHE_DIR=/opt/stridescope/kernels
RUN .venv/bin/python -m compileall -q app \
    && .venv/bin/python -c "from app.engine import KERNELS; [list(k.compiling()) for k in KERNELS]"

FROM python:3.13-slim
LABEL org.opencontainers.image.title="Stridescope" \
      org.opencontainers.image.description="See how a tensor lies in memory."
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin stridescope
WORKDIR /opt/stridescope
# The virtual environment keeps its path: its scripts name it.
COPY --from=builder /opt/stridescope /opt/stridescope
RUN chown -R 10001:10001 /opt/stridescope/kernels
ENV PATH=/opt/stridescope/.venv/bin:$PATH \
    PYTHONPATH=/opt/stridescope \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    NUMBA_CACHE_DIR=/opt/stridescope/kernels \
    HOST=0.0.0.0 \
    PORT=8000
# By number, so that an orchestrator can see that it is not root.
USER 10001:10001
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=3s --start-period=10s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen(f\"http://127.0.0.1:{os.environ['PORT']}/healthz\", timeout=2)"]
# exec hands signal 15 to uvicorn itself, so that a stop is graceful.
CMD ["sh", "-c", "exec uvicorn app.main:app --host \"$HOST\" --port \"$PORT\" --no-server-header"]
