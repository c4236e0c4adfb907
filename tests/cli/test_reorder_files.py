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

import numpy as np
import pytest
from typer.testing import CliRunner

from app.cli.commands import app
from tests.cli.conftest import Run, refused, said
from tests.places import ROOT

NUMBERS = np.arange(2 * 6 * 3 * 5, dtype=np.int32).reshape(2, 6, 3, 5)


def names_in(folder: Path) -> list[str]:
    """Names of the files in ``folder``, hidden ones too."""
    return sorted(path.name for path in folder.iterdir())


def in_a_shell(typed: str, before: str = ":") -> tuple[int, str]:
    """The exit code, and what is said on the standard error."""
    script = f"{before}; {sys.executable} -m app.cli {typed}"
    done = subprocess.run(
        ["bash", "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


def test_a_file_can_be_reordered_in_place(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "both.npy"
    np.save(path, NUMBERS)
    path.chmod(0o640)
    said(run("reorder", str(path), str(path), "--from", "NCHW", "--to", "NHWC"))
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
    message = refused(run("reorder", *files, "--from", "NCHW", "--to", "NHWC"))
    assert message == f"stridescope: {files[1]}: No space left on device\n"
    assert (tmp_path / "out.npy").read_text() == "precious"
    assert names_in(tmp_path) == ["in.npy", "out.npy"]


def test_a_file_beyond_the_systems_limit_is_one_line(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", np.zeros((64, 1024)))
    limited = "unset COVERAGE_PROCESS_CONFIG; ulimit -f 16"  # what is counted would not fit either
    done = in_a_shell(f"reorder {tmp_path}/in.npy {tmp_path}/out.npy --from HW --to WH", limited)
    assert done == (2, f"stridescope: {tmp_path}/out.npy: File too large\n")
    assert names_in(tmp_path) == ["in.npy"]


def test_a_target_through_a_link_leaves_the_link(run: Run, tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", NUMBERS)
    (tmp_path / "real.npy").write_text("old")
    (tmp_path / "link.npy").symlink_to("real.npy")
    files = str(tmp_path / "in.npy"), str(tmp_path / "link.npy")
    assert run("reorder", *files, "--from", "NCHW", "--to", "NHWC").exit_code == 0
    assert (tmp_path / "link.npy").is_symlink()
    np.testing.assert_array_equal(np.load(tmp_path / "real.npy"), NUMBERS.transpose(0, 2, 3, 1))


def test_quiet_threads_and_backend_are_followed(run: Run, tmp_path: Path) -> None:
    asked = "--from", "NCHW", "--to", "NHWC", "--threads", "1", "--backend", "numpy"
    np.save(tmp_path / "in.npy", NUMBERS)
    files = str(tmp_path / "in.npy"), str(tmp_path / "out.npy")
    result = run("reorder", *files, *asked, "--quiet")
    assert (result.exit_code, result.output) == (0, "")
    np.testing.assert_array_equal(np.load(files[1]), NUMBERS.transpose(0, 2, 3, 1))
    told = json.loads(run("reorder", *files, *asked, "--json").stdout)
    assert told["plan"]["backend"] == "numpy"
    message = refused(run("reorder", *files, *asked[:4], "--backend", "abacus"))
    assert message.startswith("stridescope: backend: got text of 6 characters")
    assert names_in(tmp_path) == ["in.npy", "out.npy"]


@pytest.mark.parametrize(
    ("script", "code", "says"),
    [
        ("formats | true; exit ${PIPESTATUS[0]}", 141, ""),
        ("formats >&-", 0, ""),
        ("formats > /dev/full", 2, "stridescope: input or output: No space left on device\n"),
        ("read - <&-", 2, "stridescope: -: got a closed input; expected an open one\n"),
    ],
)
def test_an_output_that_ends_is_no_traceback(script: str, code: int, says: str) -> None:
    assert in_a_shell(script) == (code, says)


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


@pytest.mark.parametrize("name", ["o.ZARR/", "s3://b/o", "o.npz"])
def test_a_name_that_promises_another_kind_is_refused(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("in.npy", NUMBERS)
    message = refused(run("reorder", "in.npy", name, "--from", "NCHW", "--to", "NHWC"))
    assert "expected a name for npy: the format stays" in message
    assert names_in(tmp_path) == ["in.npy"]
