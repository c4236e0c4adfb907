"""``stridescope picture``: the files are those of the writer, whatever their format."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from app.engine.description.tensor import parse_tensor
from app.picture.composed import Picture
from app.picture.files import written
from tests.cli.conftest import Run


@pytest.mark.parametrize("form", ["svg", "png", "tex", "txt"])
def test_the_file_is_the_writer_s(run: Run, tmp_path: Path, form: str) -> None:
    file = tmp_path / f"out.{form}"
    run("picture", "2,6,3,3", "NCHW4", "-o", str(file), "--scale", "1", "--at", "1,5,0,2")
    chosen = Picture(parse_tensor((2, 6, 3, 3), "NCHW4"), chosen=(1, 5, 0, 2))
    assert file.read_bytes() == written(chosen, form)


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_file_is_shown_as_it_lies(run: Run, tmp_path: Path, order: str) -> None:
    file = tmp_path / "x.npy"
    np.save(file, np.zeros((2, 3, 4), np.float16, order=order))  # type: ignore[call-overload]  # a text
    strides = {"C": "(12,4,1)", "F": "(1,2,6)"}[order]
    shown = run("show", str(file))
    assert shown.exit_code == 0
    assert shown.stdout == run("describe", "2,3,4", f"strides:{strides}+0", "-t", "float16").stdout
    assert run("show", str(file), "-o", str(tmp_path / "x.svg")).exit_code == 0
    assert (tmp_path / "x.svg").read_text(encoding="utf-8").startswith("<svg ")


@pytest.mark.parametrize("data", [b"", b"no array", b"PK\x03\x04"])
def test_another_file_is_refused(run: Run, tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "x.npy"
    file.write_bytes(data)
    refused = run("show", str(file))
    assert refused.exit_code == 2
    assert "file: got" in refused.stderr
