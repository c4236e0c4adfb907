"""``stridescope kernels``: one process per level, each told its level and its folder."""

import platform
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import commands
from app.engine.reorder.kernels.store import LEVELS, environment

SAYS = """
import os, pathlib
from app.engine import KERNELS
names = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_CACHE_DIR")
folder = pathlib.Path(os.environ["NUMBA_CACHE_DIR"])
folder.mkdir(parents=True)
(folder / "said").write_text(repr({name: os.environ[name] for name in names}))
"""


def test_each_level_gets_a_process_and_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "_COMPILE", SAYS)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(commands.app, ["kernels", "store"])
    assert done.exit_code == 0, done.output
    levels = list(LEVELS[platform.machine()])
    assert done.output.split() == levels
    for level in levels:
        said = (tmp_path / "store" / level / "said").read_text()
        assert said == repr(environment(level, tmp_path / "store"))


def test_without_numba_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "find_spec", lambda name: None)
    done = CliRunner().invoke(commands.app, ["kernels", "store"])
    assert done.exit_code == 2
    assert "stridescope[fast]" in done.output
