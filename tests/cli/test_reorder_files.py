"""``stridescope reorder``: buffers in .npy files, against NumPy's own transposes."""

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.cli.conftest import Run

ROOT = Path(__file__).parents[2]
NUMBERS = np.arange(2 * 6 * 3 * 5, dtype=np.int32).reshape(2, 6, 3, 5)


def reordered(
    run: Run, folder: Path, values: npt.NDArray[Any], *arguments: str
) -> npt.NDArray[Any]:
    """What the command makes of ``values``."""
    np.save(folder / "in.npy", values)
    result = run("reorder", str(folder / "in.npy"), str(folder / "out.npy"), *arguments)
    assert result.exit_code == 0, result.stderr
    made: npt.NDArray[Any] = np.load(folder / "out.npy")
    return made


def names_in(folder: Path) -> list[str]:
    """Names of the files in ``folder``, hidden ones too."""
    return sorted(path.name for path in folder.iterdir())


def blocked(values: npt.NDArray[Any], block: int) -> npt.NDArray[Any]:
    """NCHW to N, C/block, H, W, block by NumPy alone."""
    n, c, h, w = values.shape
    whole = np.pad(values, ((0, 0), (0, -c % block), (0, 0), (0, 0)))
    return whole.reshape(n, -1, block, h, w).transpose(0, 1, 3, 4, 2)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("NHWC", NUMBERS.transpose(0, 2, 3, 1)),
        ("CHWN", NUMBERS.transpose(1, 2, 3, 0)),
        ("channels_last", NUMBERS.transpose(0, 2, 3, 1)),
        ("NCHW4", blocked(NUMBERS, 4)),
        ("NCHW32", blocked(NUMBERS, 32)),
        ("onednn:nChw8c", blocked(NUMBERS, 8)),
        ("CHWN4", blocked(NUMBERS, 4).transpose(1, 2, 3, 0, 4)),
    ],
)
def test_out_of_nchw(run: Run, tmp_path: Path, target: str, expected: npt.NDArray[Any]) -> None:
    made = reordered(run, tmp_path, NUMBERS, "--from", "NCHW", "--to", target)
    assert made.dtype == np.int32
    np.testing.assert_array_equal(made, expected, strict=True)


@pytest.mark.parametrize("source", ["NHWC", "CHWN", "NCHW4", "CHWN4", "onednn:aBcd8b"])
def test_there_and_back(run: Run, tmp_path: Path, source: str) -> None:
    there = reordered(run, tmp_path, NUMBERS, "--from", "NCHW", "--to", source)
    # Without --shape six channels in blocks come back as the eight that are in memory.
    shape = ("--shape", "2,6,3,5")
    back = reordered(run, tmp_path, there, "--from", source, "--to", "NCHW", *shape)
    np.testing.assert_array_equal(back, NUMBERS, strict=True)


def test_logical_sizes_come_from_the_header(run: Run, tmp_path: Path) -> None:
    there = blocked(NUMBERS, 4)
    back = reordered(run, tmp_path, there, "--from", "NCHW4", "--to", "NCHW")
    np.testing.assert_array_equal(back, np.pad(NUMBERS, ((0, 0), (0, 2), (0, 0), (0, 0))))


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", ">i4", "u8", "f2", ">f4", "f8"])
def test_element_types_and_byte_orders_stay(run: Run, tmp_path: Path, dtype: str) -> None:
    values = np.arange(6).reshape(2, 3).astype(dtype)
    made = reordered(run, tmp_path, values, "--from", "HW", "--to", "WH")
    assert made.dtype == values.dtype
    np.testing.assert_array_equal(made, values.T, strict=True)


def test_strides_make_a_flat_file_whose_gaps_are_zero(run: Run, tmp_path: Path) -> None:
    values = np.arange(1, 7).reshape(2, 3)
    made = reordered(run, tmp_path, values, "--from", "HW", "--to", "(5, 1)+1")
    np.testing.assert_array_equal(made, [0, 1, 2, 3, 0, 0, 4, 5, 6])
    back = reordered(run, tmp_path, made, "--from", "(5, 1)+1", "--to", "HW", "--shape", "2,3")
    np.testing.assert_array_equal(back, values, strict=True)


def test_memory_of_a_fortran_file_is_read_as_it_lies(run: Run, tmp_path: Path) -> None:
    values = np.asfortranarray(np.arange(6).reshape(2, 3))
    # Its memory is column major: extents 3, 2.
    made = reordered(run, tmp_path, values, "--from", "WH", "--to", "HW")
    np.testing.assert_array_equal(made, values)


def test_rank_0_and_empty_files(run: Run, tmp_path: Path) -> None:
    one = reordered(run, tmp_path, np.array(7.0), "--from", "()", "--to", "()", "--shape", "()")
    assert one.shape == ()
    assert one == 7.0
    none = reordered(run, tmp_path, np.zeros((0, 3)), "--from", "HW", "--to", "WH")
    assert none.size == 0


def test_a_file_can_be_reordered_in_place(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "both.npy"
    np.save(path, NUMBERS)
    path.chmod(0o640)
    result = run("reorder", str(path), str(path), "--from", "NCHW", "--to", "NHWC")
    assert result.exit_code == 0, result.stderr
    np.testing.assert_array_equal(np.load(path), NUMBERS.transpose(0, 2, 3, 1))
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert names_in(tmp_path) == ["both.npy"]


def test_a_failed_write_leaves_what_was_there(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.save(tmp_path / "in.npy", NUMBERS)
    (tmp_path / "out.npy").write_text("precious")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    files = str(tmp_path / "in.npy"), str(tmp_path / "out.npy")
    result = run("reorder", *files, "--from", "NCHW", "--to", "NHWC")
    assert result.exit_code == 2
    assert "No space left on device" in result.stderr
    assert (tmp_path / "out.npy").read_text() == "precious"
    assert names_in(tmp_path) == ["in.npy", "out.npy"]


def test_the_installed_command_runs(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", NUMBERS)
    command = Path(sys.executable).with_name("stridescope")
    arguments = ["reorder", "in.npy", "out.npy", "--from", "NCHW", "--to", "NCHW4"]
    done = subprocess.run(
        [command, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), blocked(NUMBERS, 4))
    assert "(2, 2, 3, 5, 4) int32" in done.stdout
    wrong = subprocess.run(
        [sys.executable, "-m", "app.cli", "describe", "2,3", "HX"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("stridescope: layout: got an unexpected character")


def test_a_closed_pipe_is_no_traceback() -> None:
    script = f"{sys.executable} -m app.cli formats | true"
    done = subprocess.run(
        ["bash", "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
