"""A runner of the command line in this process."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app.cli.commands import app
from tests.places import ROOT

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


def said(done: Result) -> str:
    """What a call prints that ends well."""
    assert done.exit_code == 0, done.stderr
    return done.stdout


def refused(done: Result) -> str:
    """The message of a call that is refused."""
    assert done.exit_code == 2
    assert "Traceback" not in done.stderr
    return done.stderr


def started(folder: Path, code: str, *arguments: str) -> subprocess.Popen[str]:
    """Python code of the checkout in a process of its own, in ``folder``."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
