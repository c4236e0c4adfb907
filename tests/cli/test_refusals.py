"""Bad input: exit code 2, one message on stderr that names the field, never a traceback."""

import os
import shlex
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Run, refused

CASES = (
    ("describe 2,-3 HW", "shape[1]: got -3;"),
    (f"describe {'1' * 400} W", "shape: got an integer of 400 digits"),
    ("describe 9223372036854775808 W", "shape: got 9223372036854775808 at"),
    ("describe 2,3 '\x1b[31mred\x00'", "layout: got"),
    ("describe 2,3 HW --dtype float31", "dtype: got text"),
    ("describe 2,3 HW --elements 5", "elements: got 5;"),
    ("describe 2,3", "layout: got nothing (null); expected a layout such as NCHW4"),
    ("cost 2,3 HW --cache 32768", "cache: got [32768]; expected bytes and ways"),
    ("cost 2,3 HW --at 0,0", "--at: got an option that changes nothing here; expected --warp"),
    ("cost 2,3 HW --vector 1", "--vector: got"),
    ("cost 2,3 HW --shared", "--shared: got"),
    ("cost 2,3 HW --suggest --json", "--suggest: got"),
    ("cost 2,3 HW --warp W --suggest", "--suggest: got"),
    ("cost 2,3 HW --warp W --line 64", "--line: got"),
    ("cost 2,3 HW --warp '' --orders", "--orders: got"),
    ("cost 2,3 HW --warp W --cache 1,1", "--cache: got"),
    ("describe 2,3 HW --json --rows 16", "--rows: got"),
    ("describe 2,3 HW --no-grid --letters", "--letters: got"),
    ("describe 2,3 HW --json --grid", "--grid: got"),
    ("describe 27 W --letters", "--letters: got 27; expected a tensor of at most 26"),
    ("describe no.zarr --dtype int8", "--dtype: got"),
    ("describe no.zarr --no-grid", "--no-grid: got"),
    ("network unet --size batch=4", "--size: got"),
    ("network unet --rules onednn --mermaid --plan", "--plan: got"),
    ("network unet --plan --svg --json", "--json: got"),
    ("reorder a.npy b.npy --from HW --to WH --dry-run", "--dry-run: got"),
    ("reorder a.npy b --from HW --to WH --json -q", "--quiet: got"),
    ("reorder a.zarr b.zarr --from HW --to WH --raw", "--raw: got"),
    ("reorder a.zarr b.zarr --from HW --to WH --threads 2", "--threads: got"),
    ("view 2,3 HW 'permut(1,0)'", "steps[0]: got an unknown op (did you mean permute?)"),
    ("view 2,3 HW 'view(a)'", "steps[0]: got an unexpected character at character 6"),
    ("view 2,3 HW 'narrow(1)'", "steps[0].start: got nothing"),
    ("view 2,3 HW 'select(0,1,2)'", "steps[0]: got [0, 1, 2]; expected the numbers of"),
    ("elementwise 2,3", "layout: got nothing"),
    ("schedule 2,3 HW 'H?'", "target: got an unexpected character"),
    ("schedule 2,3 HW WH --first 99", "first: got 99"),
    ("offsets 2,3 HW 0,3", "coordinates[0][1]"),
    ("offsets 2,3 HW", "coordinates: got nothing (null); expected either"),
    ("offsets 2,3 HW 0,0 --owners 1", "coordinates: got a list"),
    ("offsets 2,3 HW --owners 9223372036854775808", "owners: got 9223372036854775808 at"),
    ("slice 2,3 HW", "slice: got nothing (null); expected either an index or a window"),
    ("slice 2,3 HW --sizes 1,1", "window: got nothing (null); expected a window"),
    ("slice 2,3 HW --offsets 0 --sizes 1,1 --strides 1,1", "window.offsets: got [0];"),
)


@pytest.mark.parametrize(("typed", "message"), CASES)
def test_a_bad_value_is_named(run: Run, typed: str, message: str) -> None:
    result = run(*shlex.split(typed))
    first = refused(result).splitlines()[0]
    assert result.stdout == ""
    assert first.startswith(f"stridescope: {message}") or message in first
    assert "expected" in first
    assert all(c.isprintable() or c == "\n" for c in result.stderr)


def test_the_character_at_fault_is_marked(run: Run) -> None:
    for typed, *marked in (
        (("describe", "2,3", "  HX "), "    HX ", "     ^"),
        (("slice", "2,3", "HW", "0,,1"), "  0,,1", "    ^"),
        (("read", "x = 1\nmemref<2x?xf32>\ny"), "  memref<2x?xf32>", "           ^"),
    ):
        assert run(*typed).stderr.splitlines()[1:] == marked


def test_wrong_usage_is_exit_code_2(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for typed in ("", "nosuch", "describe 2,3 HW --nosuch", "describe 2,3 HW --rows 0"):
        refused(run(*typed.split()))
    # Workers cannot share a port of the metrics.
    monkeypatch.setenv("STRIDESCOPE_METRICS_PORT", "9100")
    assert "workers: got 2; expected 1" in refused(run("serve", "--workers", "2"))


class Unpickled:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return Path.touch, (self._path,)


def refused_file(run: Run, path: Path, *more: str) -> str:
    """The message about a file that must be refused, and must leave no output."""
    out = path.parent / "out.npy"
    message = refused(run("reorder", str(path), str(out), "--from", "HW", "--to", "WH", *more))
    assert not out.exists()
    return message


def test_pickles_are_never_loaded(run: Run, tmp_path: Path) -> None:
    trace = tmp_path / "unpickled"
    hostile = np.empty((1, 1), dtype=object)
    hostile[0, 0] = Unpickled(trace)
    np.save(tmp_path / "in.npy", hostile, allow_pickle=True)
    said = refused_file(run, tmp_path / "in.npy")
    assert "in.npy: header.descr: got pickled objects" in said
    assert not trace.exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "expected a .npy or .safetensors file, or --raw"),
        (b"\x93NUMPY\x01\x00\x10\x00{'descr': ", "in.npy: header: got"),
        (b"\x93NUMPY\x01\x00\xff\xff{'descr': ", "in.npy: header: got a header of 65545 bytes"),
        (b"\xff" * 7 + b"\x7f{", "in.npy: header: got a longer header"),
    ],
)
def test_broken_files_are_refused(run: Run, tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "in.npy").write_bytes(content)
    assert message in refused_file(run, tmp_path / "in.npy")


def test_a_file_cut_short_or_with_more_is_refused(run: Run, tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", np.zeros((20, 30)))
    whole = (tmp_path / "in.npy").read_bytes()
    for content in (whole[:-1], whole + b"\0"):
        (tmp_path / "in.npy").write_bytes(content)
        expected = f"got {len(content)} bytes; expected {len(whole)}, as its header says"
        assert expected in refused_file(run, tmp_path / "in.npy")


@pytest.mark.parametrize(
    ("dtype", "shape", "target", "message"),
    [
        ("int32", "1,1", "out", "in: got 7 bytes; expected whole elements of int32"),
        ("int8", "2,4", "out", "shape: got 8 elements of memory; expected at most the 7"),
        ("int8", "1,7", "out.npy", "out.npy: got a name of npy; expected a name for raw"),
    ],
)
def test_raw_files_that_do_not_fit(
    run: Run, tmp_path: Path, dtype: str, shape: str, target: str, message: str
) -> None:
    (tmp_path / "in").write_bytes(bytes(7))
    asked = "--raw", "--dtype", dtype, "--shape", shape, "--from", "HW", "--to", "WH"
    result = run("reorder", str(tmp_path / "in"), str(tmp_path / target), *asked)
    assert message in refused(result)
    assert not (tmp_path / target).exists()


def test_missing_files_and_folders_are_named(run: Run, tmp_path: Path) -> None:
    assert "nosuch.npy: No such file" in refused_file(run, tmp_path / "nosuch.npy")
    (tmp_path / "folder").mkdir()
    assert "folder: Is a directory" in refused_file(run, tmp_path / "folder")
    os.mkfifo(tmp_path / "pipe")
    assert "pipe: got a pipe or a device" in refused_file(run, tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    assert "loop: Too many levels of symbolic links" in refused_file(run, tmp_path / "loop")
    assert "loop: " in run("kernels", str(tmp_path / "loop")).stderr
    assert "loop.json: " in run("network", str(tmp_path / "loop.json")).stderr


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("nosuch/out.npy", "nosuch/out.npy: No such file or directory"),
        ("folder", "folder: Is a directory"),
        ("in.npy/out.npy", "Not a directory"),
        ("pipe", "pipe: got a pipe or a device; expected a file"),
        ("loop.npy", "loop.npy: Too many levels of symbolic links"),
    ],
)
def test_targets_that_cannot_be_written(
    run: Run, tmp_path: Path, target: str, message: str
) -> None:
    np.save(tmp_path / "in.npy", np.zeros((2, 3)))
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop.npy").symlink_to("loop.npy")
    files = str(tmp_path / "in.npy"), str(tmp_path / target)
    found = refused(run("reorder", *files, "--from", "HW", "--to", "WH"))
    assert found.count("\n") == 1
    assert message in found
    there = sorted(path.name for path in tmp_path.rglob("*"))
    assert there == ["folder", "in.npy", "loop.npy", "pipe"]


@pytest.mark.parametrize(
    ("shape", "more", "message"),
    [
        ((2, 3), ("--shape", "3,2"), "shape: got a layout whose memory is (3, 2); expected (2, 3)"),
        ((6,), (), "shape: got an array of rank 1 and no logical sizes; expected logical"),
        ((5,), ("--shape", "2,3"), "shape: got 6 elements of memory; expected at most the 5"),
        ((2, 3), ("--tensor", "w"), "tensor: got text of 1 character; expected no name"),
        ((2, 3), ("--raw",), "dtype: got nothing (null); expected --dtype and --raw"),
        ((2, 3), ("--from", "H?"), "layout: got an unexpected character at character 2"),
    ],
)
def test_layouts_that_do_not_fit_the_file(
    run: Run, tmp_path: Path, shape: tuple[int, ...], more: tuple[str, ...], message: str
) -> None:
    np.save(tmp_path / "in.npy", np.zeros(shape))
    assert message in refused_file(run, tmp_path / "in.npy", *more)
