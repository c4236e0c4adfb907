"""``stridescope picture``: the files are those of the writer, whatever their format."""

from __future__ import annotations

from pathlib import Path

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
