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

from tests.cli.conftest import Run

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


TYPES = {
    "F32": np.float32,
    "BF16": ml_dtypes.bfloat16,
    "F8_E4M3": ml_dtypes.float8_e4m3fn,
    "F8_E5M2": ml_dtypes.float8_e5m2,
    "I64": np.int64,
    "I16": np.int16,
    "BOOL": np.bool_,
}


def loaded(path: Path) -> Arrays:
    """A file's tensors; the package's own ``load_file`` does not know 8-bit floats."""
    return {
        name: np.frombuffer(bytes(told["data"]), TYPES[told["dtype"]]).reshape(told["shape"])
        for name, told in deserialize(path.read_bytes())  # type: ignore[no-untyped-call]  # safetensors has no types
    }


def reordered(run: Run, folder: Path, tensors: Arrays, *arguments: str) -> tuple[Arrays, Any]:
    """What the command makes of ``tensors``, and the metadata."""
    save_file(tensors, folder / "in.safetensors", METADATA)
    files = str(folder / "in.safetensors"), str(folder / "out.safetensors")
    result = run("reorder", *files, *arguments)
    assert result.exit_code == 0, result.stderr
    with safe_open(files[1], "numpy") as made:
        metadata = made.metadata()
    return loaded(Path(files[1])), metadata


def assert_same(made: npt.NDArray[Any], expected: npt.NDArray[Any]) -> None:
    """Equal to the bit, types that NumPy does not know among them."""
    assert made.dtype == expected.dtype
    assert made.shape == expected.shape
    assert made.tobytes() == np.ascontiguousarray(expected).tobytes()


def test_every_tensor_of_fitting_rank(run: Run, tmp_path: Path) -> None:
    made, metadata = reordered(run, tmp_path, TENSORS, "--from", "OIHW", "--to", "HWIO")
    assert metadata == METADATA
    assert made.keys() == TENSORS.keys()
    for name, values in TENSORS.items():
        assert_same(made[name], values.transpose(2, 3, 1, 0) if name in FITTING else values)


@pytest.mark.parametrize("chosen", [["conv2.weight"], ["small", "conv1.weight", "small"]])
def test_chosen_tensors(run: Run, tmp_path: Path, chosen: list[str]) -> None:
    names = [part for name in chosen for part in ("--tensor", name)]
    made, metadata = reordered(run, tmp_path, TENSORS, "--from", "OIHW", "--to", "HWIO", *names)
    assert metadata == METADATA
    for name, values in TENSORS.items():
        assert_same(made[name], values.transpose(2, 3, 1, 0) if name in chosen else values)


def test_blocks_are_padded_and_come_back(run: Run, tmp_path: Path) -> None:
    there, _ = reordered(run, tmp_path, TENSORS, "--from", "OIHW", "--to", "OIhw4i16o4i")
    padded = there["conv2.weight"]
    assert padded.shape == (2, 2, 1, 2, 4, 16, 4)
    assert there["small"].shape == (1, 1, 2, 2, 4, 16, 4)
    logical = padded.transpose(0, 5, 1, 4, 6, 2, 3).reshape(32, 32, 1, 2)
    assert_same(logical[:20, :30], TENSORS["conv2.weight"])
    assert not logical[20:].any()
    assert not logical[:, 30:].any()
    asked = "--from", "OIhw4i16o4i", "--to", "OIHW", "--tensor", "conv2.weight"
    back, _ = reordered(run, tmp_path, there, *asked, "--shape", "20,30,1,2")
    assert_same(back["conv2.weight"], TENSORS["conv2.weight"])
    assert_same(back["small"], there["small"])


def test_a_file_in_place(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "both.safetensors"
    save_file(TENSORS, path, METADATA)
    result = run("reorder", str(path), str(path), "--from", "OIHW", "--to", "HWIO")
    assert result.exit_code == 0, result.stderr
    assert "4 tensors reordered, 4 tensors copied unchanged" in " ".join(result.stdout.split())
    assert_same(loaded(path)["small"], TENSORS["small"].transpose(2, 3, 1, 0))


def test_json_says_each_tensor(run: Run, tmp_path: Path) -> None:
    save_file(TENSORS, tmp_path / "in.safetensors")
    files = str(tmp_path / "in.safetensors"), str(tmp_path / "out.safetensors")
    result = run("reorder", *files, "--from", "OIHW", "--to", "HWIO", "--json")
    answer = json.loads(result.stdout)
    assert sorted(told["name"] for told in answer["tensors"]) == sorted(FITTING)
    assert sorted(answer["unchanged"]) == sorted(TENSORS.keys() - FITTING)
    by_name = {told["name"]: told for told in answer["tensors"]}
    assert by_name["conv2.weight"]["target"]["dtype"] == "bfloat16"
    assert by_name["conv2.weight"]["target"]["physical_shape"] == [1, 2, 30, 20]


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
    result = run("reorder", *files, "--from", "CHW", "--to", "onednn:Abc4a", "--tensor", "before")
    assert result.exit_code == 0, result.stderr
    written = (tmp_path / "out.safetensors").read_bytes()
    size = 8 + int.from_bytes(written[:8], "little")
    assert size % 8 == 0
    said = json.loads(written[8:size])
    assert list(said) == ["before", "scales", "after"]
    assert said["scales"] == {"dtype": "F8_E8M0", "shape": [2, 1, 2], "data_offsets": [24, 28]}
    assert written[size + 24 : size + 28] == data
    assert written[size + 28 :] == bytes(range(10, 18))
    asked = "--from", "CHW", "--to", "HWC", "--tensor", "scales"
    result = run("reorder", *files, *asked)
    assert result.exit_code == 2
    assert "tensor scales: got an element type that is not supported" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--tensor", "nosuch"), "tensor: got text of 6 characters; expected one of "),
        (("--shape", "32,6,3,3"), "shape: got [32, 6, 3, 3]; expected no sizes, or the name of"),
        (("--from", "abcdef"), "tensor: got 8 tensors, none of a rank that fits the source"),
        (("--from", "O?"), "layout: got an unexpected character at character 2"),
        (("--tensor", "odd"), "tensor odd: shape: got an array of rank 1"),
        (("--to", "(0,0,0,1)"), "target: got a layout in which elements share addresses"),
        (("--raw",), "dtype: got nothing"),
        (("--dtype", "int8"), "dtype: got text of 4 characters"),
    ],
)
def test_refusals(run: Run, tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    save_file(TENSORS, tmp_path / "in.safetensors")
    files = str(tmp_path / "in.safetensors"), str(tmp_path / "out.safetensors")
    result = run("reorder", *files, "--from", "OIHW", "--to", "HWIO", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert message in result.stderr
    assert not (tmp_path / "out.safetensors").exists()


def test_names_do_not_steer_the_terminal(run: Run, tmp_path: Path) -> None:
    save_file({"\x1b[31mred": weights("i1", 2, 3), "b": weights("i1", 2, 3)}, tmp_path / "in")
    result = run("reorder", str(tmp_path / "in"), str(tmp_path / "out"), "--from=HW", "--to=WH")
    assert result.exit_code == 0
    assert "?[31mred" in result.stdout
    assert "\x1b" not in result.output
    with safe_open(tmp_path / "out", "numpy") as made:
        assert set(made.keys()) == {"\x1b[31mred", "b"}


def test_a_file_cut_short_or_with_more_is_refused(run: Run, tmp_path: Path) -> None:
    save_file(TENSORS, tmp_path / "whole")
    whole = (tmp_path / "whole").read_bytes()
    for content in (whole[:-1], whole + b"\0"):
        (tmp_path / "in").write_bytes(content)
        files = str(tmp_path / "in"), str(tmp_path / "out")
        result = run("reorder", *files, "--from", "OIHW", "--to", "HWIO")
        assert result.exit_code == 2
        assert f"got {len(content)} bytes; expected {len(whole)}" in result.stderr
        assert not (tmp_path / "out").exists()


def test_the_name_must_fit_the_format(run: Run, tmp_path: Path) -> None:
    save_file(TENSORS, tmp_path / "in.safetensors")
    files = str(tmp_path / "in.safetensors"), str(tmp_path / "out.npy")
    result = run("reorder", *files, "--from", "OIHW", "--to", "HWIO")
    assert result.exit_code == 2
    assert "out.npy: got a name of npy; expected a name for safetensors" in result.stderr
