"""``stridescope reorder`` on .safetensors files, read and written through their own package."""

import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from safetensors import deserialize, safe_open
from safetensors.numpy import save_file

from app.engine.model.dtypes import by_name_in
from tests.cli.conftest import Run, refused, said

Arrays = dict[str, npt.NDArray[Any]]
METADATA = {"format": "pt", "größe": "30×20"}


def weights(dtype: Any, *shape: int) -> npt.NDArray[Any]:
    """Small integers, which every type here holds."""
    numbers = np.arange(int(np.prod(shape))) % 13
    return numbers.astype(dtype).reshape(shape)


TENSORS: Arrays = {
    "conv1.weight": weights(np.float32, 32, 6, 3, 3),
    "conv2.weight": weights(ml_dtypes.bfloat16, 20, 30, 1, 2),
    "conv1.bias": weights(np.float32, 32),
    "small": weights(ml_dtypes.float8_e4m3fn, 2, 3, 2, 2),
    "smaller": weights(ml_dtypes.float8_e5m2, 2, 3, 2, 1),
    "steps": weights(np.int64),
    "empty": weights(np.int16, 0, 3),
    "odd": weights(np.bool_, 7),
}
FITTING = ["conv1.weight", "conv2.weight", "small", "smaller"]


def loaded(path: Path) -> Arrays:
    """A file's tensors; the package's own ``load_file`` does not know 8-bit floats."""
    types = {name: element.numpy() for name, element in by_name_in("safetensors").items()}
    return {
        name: np.frombuffer(bytes(told["data"]), types[told["dtype"]]).reshape(told["shape"])
        for name, told in deserialize(path.read_bytes())  # type: ignore[no-untyped-call]  # safetensors has no types
    }


def reordered(run: Run, folder: Path, tensors: Arrays, *arguments: str) -> tuple[Arrays, Any, str]:
    """What the command makes of ``tensors``, the metadata, and what it prints."""
    save_file(tensors, folder / "in.safetensors", METADATA)
    files = str(folder / "in.safetensors"), str(folder / "out.safetensors")
    shown = said(run("reorder", *files, *arguments))
    with safe_open(files[1], "numpy") as made:
        return loaded(Path(files[1])), made.metadata(), shown


def assert_same(made: npt.NDArray[Any], expected: npt.NDArray[Any]) -> None:
    """Equal to the bit, types that NumPy does not know among them."""
    assert made.dtype == expected.dtype
    assert made.shape == expected.shape
    assert made.tobytes() == np.ascontiguousarray(expected).tobytes()


def test_every_tensor_of_fitting_rank_in_place(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "both.safetensors"
    save_file(TENSORS, path, METADATA)
    shown = said(run("reorder", str(path), str(path), "--from", "OIHW", "--to", "HWIO"))
    assert "4 tensors reordered, 4 tensors copied unchanged" in " ".join(shown.split())
    made = loaded(path)
    assert made.keys() == TENSORS.keys()
    for name, values in TENSORS.items():
        assert_same(made[name], values.transpose(2, 3, 1, 0) if name in FITTING else values)


def test_chosen_tensors(run: Run, tmp_path: Path) -> None:
    chosen = ["small", "conv1.weight", "small"]
    names = [part for name in chosen for part in ("--tensor", name)]
    asked = "--from", "OIHW", "--to", "HWIO", *names, "--json"
    made, metadata, shown = reordered(run, tmp_path, TENSORS, *asked)
    assert metadata == METADATA
    for name, values in TENSORS.items():
        assert_same(made[name], values.transpose(2, 3, 1, 0) if name in chosen else values)
    answer = json.loads(shown)
    assert sorted(answer["unchanged"]) == sorted(TENSORS.keys() - chosen)
    targets = {told["name"]: told["target"] for told in answer["tensors"]}
    assert targets.keys() == set(chosen)
    assert targets["small"]["dtype"] == "float8_e4m3fn"
    assert targets["small"]["physical_shape"] == [2, 2, 3, 2]


def foreign_file(path: Path) -> bytes:
    """One tensor of a type that is not supported, between two that are; its bytes."""
    entries = {
        "before": {"dtype": "I8", "shape": [1, 2, 3], "data_offsets": [0, 6]},
        "scales": {"dtype": "F8_E8M0", "shape": [2, 1, 2], "data_offsets": [6, 10]},
        "after": {"dtype": "I16", "shape": [1, 2, 2], "data_offsets": [10, 18]},
    }
    text = json.dumps(entries).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + bytes(range(18)))
    return bytes(range(6, 10))


def test_types_without_a_layout_are_copied(run: Run, tmp_path: Path) -> None:
    data = foreign_file(tmp_path / "in.safetensors")
    files = str(tmp_path / "in.safetensors"), str(tmp_path / "out.safetensors")
    said(run("reorder", *files, "--from", "CHW", "--to", "onednn:Abc4a", "--tensor", "before"))
    written = (tmp_path / "out.safetensors").read_bytes()
    size = 8 + int.from_bytes(written[:8], "little")
    assert size % 8 == 0
    header = json.loads(written[8:size])
    assert list(header) == ["before", "scales", "after"]
    assert header["scales"] == {"dtype": "F8_E8M0", "shape": [2, 1, 2], "data_offsets": [24, 28]}
    assert written[size + 24 : size + 28] == data
    assert written[size + 28 :] == bytes(range(10, 18))
    message = refused(run("reorder", *files, "--from=CHW", "--to=HWC", "--tensor=scales"))
    assert "tensor scales: got an element type that is not supported" in message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--tensor", "nosuch"), "tensor: got text of 6 characters; expected one of "),
        (("--shape", "32,6,3,3"), "shape: got [32, 6, 3, 3]; expected no sizes, or the name of"),
        (("--from", "abcdef"), "tensor: got 8 tensors, none of a rank that fits the source"),
        (("--tensor", "odd"), "tensor odd: shape: got an array of rank 1"),
        (("--raw",), "dtype: got nothing"),
    ],
)
def test_refusals(run: Run, tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    save_file(TENSORS, tmp_path / "in.safetensors")
    files = str(tmp_path / "in.safetensors"), str(tmp_path / "out.safetensors")
    result = run("reorder", *files, "--from", "OIHW", "--to", "HWIO", *arguments)
    assert message in refused(result)
    assert result.stdout == ""
    assert not (tmp_path / "out.safetensors").exists()


def test_names_do_not_steer_the_terminal(run: Run, tmp_path: Path) -> None:
    save_file({"\x1b[31mred": weights("i1", 2, 3), "b": weights("i1", 2, 3)}, tmp_path / "in")
    result = run("reorder", str(tmp_path / "in"), str(tmp_path / "out"), "--from=HW", "--to=WH")
    assert result.exit_code == 0
    assert "?[31mred" in result.stdout
    assert "\x1b" not in result.output
    with safe_open(tmp_path / "out", "numpy") as made:
        assert set(made.keys()) == {"\x1b[31mred", "b"}
