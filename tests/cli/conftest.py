"""A runner of the command line in this process."""

from collections.abc import Callable

import pytest
from typer.testing import CliRunner, Result

from app.cli.commands import app

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """``run("describe", "2,3", "HW")`` on a screen of 100 columns, without colour."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("FORCE_COLOR", raising=False)

    def invoke(*arguments: str, stdin: bytes = b"") -> Result:
        return CliRunner().invoke(app, list(arguments), stdin, prog_name="stridescope")

    return invoke
