"""``stridescope reorder`` on .npy files: targets, pipes, full disks.

What is written equals what the API answers (tests/files/test_two_ends.py).
"""

import io
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
from typer.testing import CliRunner

from app.cli.commands import app
from tests.api.files.calls import blocked
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


@pytest.mark.parametrize(
    ("script", "code", "says"),
    [
        ("formats | true; exit ${PIPESTATUS[0]}", 141, ""),
        ("formats --json | true; exit ${PIPESTATUS[0]}", 141, ""),
        ("formats >&-", 0, ""),
        ("formats > /dev/full", 2, "stridescope: input or output: No space left on device\n"),
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


def test_a_file_comes_from_the_input_and_goes_to_the_output(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", np.asfortranarray(NUMBERS))
    content = (tmp_path / "in.npy").read_bytes()
    for source, target in (("NCHW", "NCHW4"), ("NCHW4", "NHWC")):
        call = ["reorder", "-", "-", "--from", source, "--to", target]
        done = CliRunner().invoke(app, call, input=content)
        assert (done.exit_code, done.stderr) == (0, "")
        content = done.stdout_bytes
    made = np.load(io.BytesIO(content))
    np.testing.assert_array_equal(made[..., :6], NUMBERS.transpose(0, 2, 3, 1))


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
