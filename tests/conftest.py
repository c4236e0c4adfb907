"""What every Python test shares: the hypothesis profile and an in-process client of the program."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from starlette.testclient import TestClient

from tests.examples import fewer

# A shared machine's pauses are not failures, and a failure must be reproducible from its print.
# New examples are looked for at the desk; CI judges a change by the same ones each time.
settings.register_profile(
    "stridescope",
    max_examples=fewer(100),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
    derandomize="CI" in os.environ,
)
settings.load_profile("stridescope")

# Deadlines of the service, far away: a busy machine starts a worker in seconds. The servers and the
# programs that tests start inherit them; tests of a deadline set their own.
for name in ("IDLE", "HEAD", "WAIT", "CALL"):
    os.environ[f"STRIDESCOPE_{name}_SECONDS"] = "300"


@pytest.fixture(scope="session")
def client() -> Iterator[TestClient]:
    """A synchronous httpx client of ``app.main:app``; an unhandled exception fails the test."""
    from app.main import app  # noqa: PLC0415 - engine tests must not need the whole program

    with TestClient(app) as test_client:
        yield test_client
