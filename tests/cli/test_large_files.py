"""Files that memory does not hold, and a bar that says how far one has come."""

import io
import os
import pty
import select
import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.cli import reorder_command
from app.cli.tables import ITEMS, Advance, bar
from app.engine.model.dtypes import ELEMENT_TYPES
from app.files import npy
from tests.cli.conftest import Run
from tests.places import ROOT

LARGE = (16, 64, 256, 256)  # 256 MiB of float32
SPARE_BYTES = 48 << 20
LIMIT_S = 300

# What the program holds of its own is limited; pages of mapped files are the system's to take back.
LITTLE_MEMORY = f"""
import resource, sys
from pathlib import Path
from app.cli.commands import app
facts = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines())
held = int(facts["VmData"].split()[0]) * 1024
resource.setrlimit(resource.RLIMIT_DATA, (held + {SPARE_BYTES},) * 2)
app(sys.argv[1:])
"""


def run_limited(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line in a process that may take SPARE_BYTES more than its imports."""
    return subprocess.run(
        [sys.executable, "-c", LITTLE_MEMORY, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    dtype = ELEMENT_TYPES["float32"]
    header = npy.header(dtype, LARGE)
    with (tmp_path / "in.npy").open("wb") as file:
        file.write(header)
        file.truncate(len(header) + dtype.size_bytes(int(np.prod(LARGE))))
    source = np.load(tmp_path / "in.npy", mmap_mode="r+")
    source[3, 5, 7, 11], source[15, 63, 255, 255] = 1.5, -2.0
    source.flush()
    asked = "--from", "NCHW", "--to", "NHWC", "--backend", "numpy", "--threads", "2"
    done = run_limited(tmp_path, "reorder", "in.npy", "out.npy", *asked)
    assert done.returncode == 0, done.stderr
    made = np.load(tmp_path / "out.npy", mmap_mode="r")
    assert made.shape == (16, 256, 256, 64)
    assert made[3, 7, 11, 5] == 1.5
    assert made[15, 255, 255, 63] == -2.0
    assert np.count_nonzero(made) == 2


def test_the_limit_of_that_test_bites(tmp_path: Path) -> None:
    # The smallest bench at 64 MB holds more than a source in memory.
    done = run_limited(tmp_path, "bench", "--size", "64MB", "--rounds", "1")
    assert done.returncode == 2
    assert done.stderr == "stridescope: memory: the tensor does not fit; expected one that does\n"


def test_a_terminal_sees_bytes_rate_and_time_left(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", np.zeros((128, 64, 64, 64)))  # long enough for several steps
    ours, theirs = pty.openpty()
    files = "in.npy", "out.npy", "--from", "NCHW", "--to", "NHWC", "--backend", "numpy"
    try:
        done = subprocess.run(
            [sys.executable, "-m", "app.cli", "reorder", *files],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"},
            stdout=subprocess.PIPE,
            stderr=theirs,
            text=True,
            check=True,
            timeout=LIMIT_S,
        )
        # A terminal hands over 4 KB at once; on a slow machine there are more steps than that.
        parts = []
        while select.select([ours], [], [], 0)[0]:
            parts.append(os.read(ours, 1 << 20))
        shown = b"".join(parts).decode()
    finally:
        os.close(ours)
        os.close(theirs)
    assert "out.npy" in shown
    assert "268.4/268.4 MB" in shown
    assert "MB/s" in shown or "GB/s" in shown
    assert "0:00:0" in shown
    assert "\x1b" not in done.stdout
    assert "268.4 MB in" in done.stdout


@pytest.mark.parametrize(("flags", "wanted"), [([], True), (["-q"], False), (["--json"], False)])
def test_a_bar_is_for_terminals_and_where_it_is_wanted(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: list[str], *, wanted: bool
) -> None:
    asked: list[bool] = []

    def told(*given: Any, shown: bool) -> AbstractContextManager[Advance]:
        asked.append(shown)
        return bar(*given, shown=shown)

    monkeypatch.setattr(reorder_command, "bar", told)
    monkeypatch.setenv("FORCE_COLOR", "1")
    np.save(tmp_path / "in.npy", np.zeros((2, 3)))
    files = str(tmp_path / "in.npy"), str(tmp_path / "out.npy")
    done = run("reorder", *files, "--from", "HW", "--to", "WH", *flags)
    assert (done.exit_code, done.stderr, asked) == (0, "", [wanted])


@pytest.mark.parametrize("shown", [True, False])
def test_a_terminal_that_wants_no_bar_gets_none(
    monkeypatch: pytest.MonkeyPatch, *, shown: bool
) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", screen)
    with bar("out.npy", 10, ITEMS, shown=shown) as advance:
        advance(10)
    assert ("10/10" in screen.getvalue()) == shown
