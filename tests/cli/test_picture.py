"""``stridescope picture``: the files are those of the writer, whatever their format."""

from pathlib import Path

import numpy as np
import pytest

from app.engine.description.tensor import parse_tensor
from app.picture.composed import Picture, written
from tests.cli.conftest import Run, refused


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


REPRS = [
    ("x.shape = torch.Size([2, 3])\nx.stride() = (1, 2)", ("2,3", "(1, 2)")),
    ("torch.empty_strided((2, 3), (5, 1), dtype=torch.float16)", ("2,3", "(5,1)", "-t", "float16")),
    ("{'strides': (4, 16), 'typestr': '<f4', 'shape': (4, 5)}", ("4,5", "(1,4)")),
]


@pytest.mark.parametrize(("text", "same"), REPRS)
@pytest.mark.parametrize("piped", [False, True])
def test_what_a_debugger_printed_is_described(
    run: Run, text: str, same: tuple[str, ...], *, piped: bool
) -> None:
    said = run("describe", "--from-repr", "-" if piped else text, stdin=text.encode())
    assert said.exit_code == 0, said.stderr
    assert said.stdout == run("describe", *same).stdout


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ("describe --from-repr hello", "--from-repr"),
        ("describe 2,3 --from-repr torch.zeros(2)", "shape"),
        ("describe", "shape"),
        (f"show {__file__}", "file"),
    ],
)
def test_what_has_no_sizes_is_refused(run: Run, typed: str, field: str) -> None:
    assert f"{field}: got" in refused(run(*typed.split()))
