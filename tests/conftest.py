"""What every Python test shares: the hypothesis profile and an in-process client of the program."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings
from starlette.testclient import TestClient

# A shared machine's pauses are not failures, and a failure must be reproducible from its print.
# New examples are looked for at the desk; CI judges a change by the same ones each time.
settings.register_profile(
    "stridescope", deadline=None, print_blob=True, derandomize="CI" in os.environ
)
settings.load_profile("stridescope")


@pytest.fixture(scope="session")
def client() -> Iterator[TestClient]:
    """A synchronous httpx client of ``app.main:app``; an unhandled exception fails the test."""
    from app.main import app  # noqa: PLC0415 - engine tests must not need the whole program

    with TestClient(app) as test_client:
        yield test_client
