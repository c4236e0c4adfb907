"""Files that memory does not hold, and a bar that says how far one has come."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from app.engine.model.dtypes import ELEMENT_TYPES
from app.files import npy
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


def on_a_terminal(folder: Path, *arguments: str) -> tuple[str, str]:
    """Stdout, and what a terminal gets on stderr."""
    np.save(folder / "in.npy", np.zeros((32, 64, 64, 64)))
    ours, theirs = pty.openpty()
    files = "in.npy", "out.npy", "--from", "NCHW", "--to", "NHWC", "--backend", "numpy"
    try:
        done = subprocess.run(
            [sys.executable, "-m", "app.cli", "reorder", *files, *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"},
            stdout=subprocess.PIPE,
            stderr=theirs,
            text=True,
            check=True,
            timeout=LIMIT_S,
        )
        os.write(theirs, b"end")  # so that there is something to read
        shown = b""
        while not shown.endswith(b"end"):
            shown += os.read(ours, 1 << 16)
    finally:
        os.close(ours)
        os.close(theirs)
    return done.stdout, shown.decode().removesuffix("end")


def test_a_terminal_sees_bytes_rate_and_time_left(tmp_path: Path) -> None:
    said, shown = on_a_terminal(tmp_path)
    assert "out.npy" in shown
    assert "67.1/67.1 MB" in shown
    assert "MB/s" in shown or "GB/s" in shown
    assert "0:00:0" in shown
    assert "\x1b" not in said
    assert "67.1 MB in" in said


@pytest.mark.parametrize("flag", ["--quiet", "--json"])
def test_no_bar_where_none_is_wanted(tmp_path: Path, flag: str) -> None:
    assert on_a_terminal(tmp_path, flag)[1] == ""


def test_no_bar_without_a_terminal(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", np.zeros((2, 3)))
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "app.cli",
            "reorder",
            "in.npy",
            "out.npy",
            "--from",
            "HW",
            "--to",
            "WH",
            "--backend",
            "numpy",
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "FORCE_COLOR": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=LIMIT_S,
    )
    assert done.stderr == ""
