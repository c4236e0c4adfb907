"""``stridescope reorder`` on .npy and raw files, against NumPy's own transposes."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from app.engine.model.dtypes import parse_dtype
from tests.cli.conftest import Run
from tests.places import ROOT

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


def test_an_array_in_fortran_order_is_the_same_array(run: Run, tmp_path: Path) -> None:
    values = np.asfortranarray(NUMBERS)
    made = reordered(run, tmp_path, values, "--from", "NCHW", "--to", "NHWC")
    np.testing.assert_array_equal(made, NUMBERS.transpose(0, 2, 3, 1))


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


@pytest.mark.parametrize("name", ["posix_fallocate", "fsync"])
def test_a_full_disk_leaves_what_was_there(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    np.save(tmp_path / "in.npy", NUMBERS)
    (tmp_path / "out.npy").write_text("precious")

    def full(*_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, name, full)
    files = str(tmp_path / "in.npy"), str(tmp_path / "out.npy")
    result = run("reorder", *files, "--from", "NCHW", "--to", "NHWC")
    assert result.exit_code == 2
    assert result.stderr == f"stridescope: {files[1]}: No space left on device\n"
    assert (tmp_path / "out.npy").read_text() == "precious"
    assert names_in(tmp_path) == ["in.npy", "out.npy"]


def test_a_file_beyond_the_systems_limit_is_one_line(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", np.zeros((64, 1024)))
    command = f"{sys.executable} -m app.cli reorder {tmp_path}/in.npy {tmp_path}/out.npy"
    limited = "unset COVERAGE_PROCESS_CONFIG; ulimit -f 16"  # what is counted would not fit either
    done = subprocess.run(
        ["bash", "-c", f"{limited}; {command} --from HW --to WH"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == f"stridescope: {tmp_path}/out.npy: File too large\n"
    assert names_in(tmp_path) == ["in.npy"]


def test_a_target_through_a_link_leaves_the_link(run: Run, tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", NUMBERS)
    (tmp_path / "real.npy").write_text("old")
    (tmp_path / "link.npy").symlink_to("real.npy")
    files = str(tmp_path / "in.npy"), str(tmp_path / "link.npy")
    assert run("reorder", *files, "--from", "NCHW", "--to", "NHWC").exit_code == 0
    assert (tmp_path / "link.npy").is_symlink()
    np.testing.assert_array_equal(np.load(tmp_path / "real.npy"), NUMBERS.transpose(0, 2, 3, 1))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float8_e5m2", "float64"])
def test_raw_files(run: Run, tmp_path: Path, dtype: str) -> None:
    bits = np.arange(6, dtype=f"u{parse_dtype(dtype).itemsize}").reshape(2, 3)
    (tmp_path / "in.bin").write_bytes(bits.tobytes())
    files = str(tmp_path / "in.bin"), str(tmp_path / "out.bin")
    asked = "--raw", "--dtype", dtype, "--shape", "2,3", "--from", "HW", "--to", "WH"
    result = run("reorder", *files, *asked)
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "out.bin").read_bytes() == bits.T.tobytes()


def test_packed_raw_files(run: Run, tmp_path: Path) -> None:
    # Elements 0 to 5 in rows of three, two to a byte; in columns they are 0 3 1 4 2 5.
    (tmp_path / "in.bin").write_bytes(bytes([0x10, 0x32, 0x54]))
    files = str(tmp_path / "in.bin"), str(tmp_path / "out.bin")
    asked = "--raw", "--dtype", "int4", "--shape", "2,3", "--from", "HW", "--to", "WH"
    result = run("reorder", *files, *asked)
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "out.bin").read_bytes() == bytes([0x30, 0x41, 0x52])


def test_quiet_says_nothing(run: Run, tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", NUMBERS)
    files = str(tmp_path / "in.npy"), str(tmp_path / "out.npy")
    result = run("reorder", *files, "--from", "NCHW", "--to", "NHWC", "--quiet")
    assert (result.exit_code, result.output) == (0, "")


def test_threads_and_backend_reach_the_engine(run: Run, tmp_path: Path) -> None:
    asked = "--from", "NCHW", "--to", "NHWC", "--threads", "1", "--backend", "numpy"
    made = reordered(run, tmp_path, NUMBERS, *asked)
    np.testing.assert_array_equal(made, NUMBERS.transpose(0, 2, 3, 1))
    files = str(tmp_path / "in.npy"), str(tmp_path / "more.npy")
    said = json.loads(run("reorder", *files, *asked, "--json").stdout)
    assert said["plan"]["backend"] == "numpy"
    result = run("reorder", *files, *asked[:4], "--backend", "abacus")
    assert result.exit_code == 2
    assert result.stderr.startswith("stridescope: backend: got text of 6 characters")
    assert names_in(tmp_path) == ["in.npy", "more.npy", "out.npy"]


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
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("stridescope: layout: got an unexpected character")


@pytest.mark.parametrize(
    ("script", "code", "says"),
    [
        ("formats | true; exit ${PIPESTATUS[0]}", 141, ""),
        ("formats --json | true; exit ${PIPESTATUS[0]}", 141, ""),
        ("formats >&-", 0, ""),
        ("formats > /dev/full", 2, "stridescope: output: No space left on device\n"),
        ("formats --json > /dev/full", 2, "stridescope: output: No space left on device\n"),
        ("read - <&-", 2, "stridescope: -: got a closed input; expected an open one\n"),
    ],
)
def test_an_output_that_ends_is_no_traceback(script: str, code: int, says: str) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m app.cli {script}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (code, says)


def test_a_file_through_a_pipe(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", np.asfortranarray(NUMBERS))
    reorder = f"{sys.executable} -m app.cli reorder - - --from"
    script = f"{reorder} NCHW --to NCHW4 < in.npy | {reorder} NCHW4 --to NHWC > out.npy"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {script}"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    made = np.load(tmp_path / "out.npy")
    np.testing.assert_array_equal(made[..., :6], NUMBERS.transpose(0, 2, 3, 1))
    assert names_in(tmp_path) == ["in.npy", "out.npy"]


@pytest.mark.parametrize("name", ["o.zarr", "o.ZARR/", "s3://b/o", "o.npz", "o.onnx"])
def test_a_name_that_promises_another_kind_is_refused(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("in.npy", NUMBERS)
    result = run("reorder", "in.npy", name, "--from", "NCHW", "--to", "NHWC")
    assert result.exit_code == 2
    assert "expected a name for npy: the format stays" in result.stderr
    assert names_in(tmp_path) == ["in.npy"]
