"""Files that memory does not hold, and a bar that says how far one has come."""

import io
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.cli import reorder_command
from app.cli.tables import BYTES, ITEMS, Advance, bar
from app.engine.model.dtypes import ELEMENT_TYPES
from app.files import npy
from tests.cli.conftest import Run, started

LARGE = (8, 64, 256, 256)  # 128 MiB of float32
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


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    dtype = ELEMENT_TYPES["float32"]
    header = npy.header(dtype, LARGE)
    with (tmp_path / "in.npy").open("wb") as file:
        file.write(header)
        file.truncate(len(header) + dtype.size_bytes(int(np.prod(LARGE))))
    source = np.load(tmp_path / "in.npy", mmap_mode="r+")
    source[3, 5, 7, 11], source[7, 63, 255, 255] = 1.5, -2.0
    source.flush()
    asked = "--from", "NCHW", "--to", "NHWC", "--backend", "numpy", "--threads", "2"
    with started(tmp_path, LITTLE_MEMORY, "reorder", "in.npy", "out.npy", *asked) as process:
        _, errors = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 0, errors
    made = np.load(tmp_path / "out.npy", mmap_mode="r")
    assert made.shape == (8, 256, 256, 64)
    assert made[3, 7, 11, 5] == 1.5
    assert made[7, 255, 255, 63] == -2.0
    assert np.count_nonzero(made) == 2


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
def test_a_terminal_that_wants_a_bar_sees_how_far_one_has_come(
    monkeypatch: pytest.MonkeyPatch, *, shown: bool
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", screen)
    with bar("out.npy", 10, ITEMS, shown=shown) as advance:
        advance(10)
    with bar("out.npy", 67_108_864, BYTES, shown=shown) as advance:
        advance(1 << 25)
        advance(1 << 25)
    for said in ("10/10", "67.1/67.1 MB", "B/s", "0:00:0"):
        assert (said in screen.getvalue()) == shown
