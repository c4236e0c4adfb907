"""Headers of safetensors: the reference implementation is the oracle, both ways."""

import json
import math
import tracemalloc
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import ml_dtypes  # noqa: F401 - the oracle finds bfloat16 by its name in NumPy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors import SafetensorError, deserialize
from safetensors.numpy import save

from app.engine import LayoutError
from app.files import safetensors, tensor_file
from app.files.stored import Stored
from app.files.tensor_file import TensorFile
from tests.cost import assert_costs_like

# The package's NumPy writer knows these; the float8 types are checked by its reader alone.
WRITTEN = ["bool", *(f"{kind}{bits}" for kind in ("uint", "int") for bits in (8, 16, 32, 64))]
WRITTEN += ["float16", "float32", "float64"]
NAMES = st.text(max_size=8).filter(lambda name: name != "__metadata__")
Shape = tuple[int, ...]
SHAPES = st.lists(st.integers(0, 4), max_size=4).map(tuple)
ONE = {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]}


def oracle(file: bytes) -> list[tuple[str, dict[str, Any]]]:
    """What the reference reads."""
    read: list[tuple[str, dict[str, Any]]] = deserialize(file)  # type: ignore[no-untyped-call]  # safetensors has no types
    return read


def file_of(said: object, body: bytes = b"") -> bytes:
    """A file with this header, whatever it says."""
    text = said if isinstance(said, bytes) else json.dumps(said).encode()
    return len(text).to_bytes(8, "little") + text + body


@given(
    st.dictionaries(NAMES, st.tuples(st.sampled_from(WRITTEN), SHAPES), min_size=1, max_size=5),
    st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=3),
)
def test_what_the_reference_writes_is_read(
    tensors: dict[str, tuple[str, tuple[int, ...]]], metadata: dict[str, str]
) -> None:
    arrays = {name: np.zeros(shape, dtype) for name, (dtype, shape) in tensors.items()}
    file = save(arrays, metadata)
    header = file[: safetensors.header_size(file[:8])]
    said = tensor_file.read("safetensors", header)
    assert said.size_bytes == len(file)
    assert said.entries.get("__metadata__", {}) == metadata
    assert [*said.parts] == stored_in(said)
    assert {t.name: (t.dtype.name, t.shape) for t in stored_in(said)} == tensors
    begins = [t.begin for t in stored_in(said)]
    assert begins == sorted(begins)
    assert all(t.size_bytes == arrays[t.name or ""].nbytes for t in stored_in(said))


def read_file(file: bytes) -> TensorFile:
    return tensor_file.read("safetensors", file[: safetensors.header_size(file)])


def stored_in(said: TensorFile) -> list[Stored]:
    return [part for part in said.parts if isinstance(part, Stored)]


def rewritten(file: bytes, shapes: Mapping[str | None, tuple[int, ...]]) -> bytes:
    """The header of this file where these tensors alone are left, with these shapes."""
    said = read_file(file)
    kept = (
        replace(t, shape=shapes[t.name], size_bytes=t.dtype.size_bytes(math.prod(shapes[t.name])))
        for t in stored_in(said)
        if t.name in shapes
    )
    return safetensors.rewritten(said.entries, kept)


@given(st.lists(st.tuples(st.sampled_from(sorted(safetensors.TYPES)), SHAPES), max_size=5))
def test_what_is_written_the_reference_reads(tensors: list[tuple[str, Shape]]) -> None:
    said: dict[str, Any] = {"__metadata__": {"a": "b"}}
    end = 0
    for i, (dtype, _) in enumerate(tensors):
        begin, end = end, end + safetensors.TYPES[dtype].size_bytes(2)
        said[f"t{i}"] = {"dtype": dtype, "shape": [2], "data_offsets": [begin, end]}
    shapes: dict[str | None, Shape] = {f"t{i}": shape for i, (_, shape) in enumerate(tensors)}
    if any(math.prod(shape) * safetensors.TYPES[d].bits % 8 for d, shape in tensors):
        with pytest.raises(LayoutError, match="a whole number of bytes") as refusal:
            rewritten(file_of(said), shapes)
        assert refusal.value.field == "shape"
        return
    header = rewritten(file_of(said), shapes)
    size = sum(safetensors.TYPES[d].size_bytes(math.prod(shape)) for d, shape in tensors)
    assert len(header) % 8 == 0
    read = {
        name: (info["dtype"], tuple(info["shape"])) for name, info in oracle(header + bytes(size))
    }
    assert read == {f"t{i}": said for i, said in enumerate(tensors)}


def test_what_else_a_header_says_stays_where_it_stood() -> None:
    foreign = {"dtype": "F8_E8M0", "shape": [4], "data_offsets": [0, 4]}
    said = {
        "late": {**ONE, "data_offsets": [4, 6], "why": "kept"},
        "__metadata__": {"k": "v"},
        "scales": foreign,
    }
    file = file_of(said)
    header = read_file(file)
    assert [part.name for part in header.parts] == ["scales", "late"]
    scales, late = header.parts
    assert isinstance(late, Stored)
    written = safetensors.rewritten(
        header.entries, [scales, replace(late, shape=(3, 1), size_bytes=3)]
    )
    expected = {
        "late": {"dtype": "U8", "shape": [3, 1], "data_offsets": [4, 7], "why": "kept"},
        "__metadata__": {"k": "v"},
        "scales": foreign,
    }
    assert written[8:].rstrip(b" ") == json.dumps(expected, separators=(",", ":")).encode()
    assert json.loads(safetensors.rewritten(header.entries, [late])[8:])["late"][
        "data_offsets"
    ] == [0, 2]


def test_every_type_of_the_reference_is_known() -> None:
    with pytest.raises(SafetensorError) as said:
        oracle(file_of({"a": {**ONE, "dtype": "none"}}, b"12"))
    known = {*safetensors.TYPES, *safetensors._OTHER_BITS}
    assert all(f"`{name}`" in str(said.value) for name in known)
    assert str(said.value).count("`") == 2 * (len(known) + 1)


@pytest.mark.parametrize(("dtype", "bits"), safetensors._OTHER_BITS.items())
def test_foreign_types_are_stepped_over_and_not_chosen(dtype: str, bits: int) -> None:
    size = 8 * bits // 8
    foreign = {"dtype": dtype, "shape": [8], "data_offsets": [0, size]}
    own = {**ONE, "data_offsets": [size, size + 2]}
    file = file_of({"foreign": foreign, "own": own}, bytes(size + 2))
    oracle(file)
    said = read_file(file)
    assert [part.name for part in said.parts if part not in stored_in(said)] == ["foreign"]
    assert said.choose("own").begin == len(file) - 2
    for name in ("foreign", None):
        with pytest.raises(LayoutError) as refusal:
            said.choose(name)
        assert refusal.value.field == "tensor"


def test_an_unknown_name_lists_a_few_that_are_safe() -> None:
    names = [f"layer.{i}" for i in range(20)] + ["<script>"]
    one = {"dtype": "U8", "shape": []}
    said = {name: {**one, "data_offsets": [i, i + 1]} for i, name in enumerate(names)}
    file = file_of(said, bytes(len(said)))
    header = read_file(file)
    for asked in (None, "layer"):
        with pytest.raises(LayoutError) as refusal:
            header.choose(asked)
        assert "layer.0, layer.1" in str(refusal.value)
        assert "13 more" in str(refusal.value)
        assert "script" not in str(refusal.value)


def two(**changes: Any) -> bytes:
    return file_of({"a": ONE, "b": {**ONE, "data_offsets": [2, 4], **changes}})


HOSTILE = {
    "too short": (b"\x02\0\0\0", "header"),
    "length 2^64-1": (b"\xff" * 8 + b"{}", "header"),
    "no JSON": (file_of(b"{"), "header"),
    "a list": (file_of(b"[]"), "header"),
    "type of a type": (two(dtype=["U8"]), "header[1].dtype"),
    "shape as text": (two(shape="2"), "header[1].shape"),
    "metadata as list": (file_of({"__metadata__": []}), "header.__metadata__"),
    "not UTF-8": (file_of(b'{"\xff": 1}'), "header"),
    "deep": (file_of(b"[" * 100_000), "header"),
    "NaN": (file_of(b'{"a": NaN}'), "header"),
    "fraction": (two(shape=[2.0]), "header[1].shape[0]"),
    "exponent": (file_of(b'{"a": 1e400}'), "header"),
    "endless integer": (file_of(b'{"a": ' + b"9" * 100_000 + b"}"), "header[0]"),
    "half a pair": (file_of(b'{"\\ud800": 1}'), "header"),
    "name twice": (file_of(b'{"a": %b, "a": %b}' % ((json.dumps(ONE).encode(),) * 2)), "header"),
    "field twice": (file_of(b'{"a": {"dtype": "U8", "dtype": "U8"}}'), "header"),
    "no object": (file_of({"a": 5}), "header[0]"),
    "no shape": (file_of({"a": {"dtype": "U8", "data_offsets": [0, 2]}}), "header[0]"),
    "unknown type": (two(dtype="I4"), "header[1].dtype"),
    "negative size": (two(shape=[-2, -1]), "header[1].shape[0]"),
    "boolean size": (two(shape=[True, 2]), "header[1].shape[0]"),
    "size beyond int64": (two(shape=[2**63]), "header[1].shape[0]"),
    "product beyond int64": (two(shape=[2**62, 4]), "header[1].shape"),
    "too few bytes": (two(shape=[3]), "header[1].data_offsets"),
    "backwards": (two(data_offsets=[4, 2]), "header[1].data_offsets"),
    "one offset": (two(data_offsets=[2]), "header[1].data_offsets"),
    "boolean offset": (two(shape=[], data_offsets=[False, True]), "header[1].data_offsets"),
    "negative offset": (two(data_offsets=[-2, 0]), "header[1].data_offsets"),
    "half a byte": (two(dtype="F4", shape=[3], data_offsets=[2, 4]), "header[1].data_offsets"),
    "overlap": (two(data_offsets=[1, 3]), "header.data_offsets"),
    "hole": (two(data_offsets=[3, 5]), "header.data_offsets"),
    "metadata of numbers": (file_of({"__metadata__": {"a": 1}}), "header.__metadata__"),
}


@pytest.mark.parametrize(("file", "field"), HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_headers_cost_what_their_length_explains(file: bytes, field: str) -> None:
    plain = file_of({"__metadata__": {"a": "x" * len(file)}})

    def refuse() -> None:
        with pytest.raises(LayoutError) as refusal:
            safetensors.parse_header(file)
        assert refusal.value.field == field

    tracemalloc.start()
    refuse()
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 8 << 20
    assert_costs_like(partial(safetensors.parse_header, plain), refuse)


def test_the_limit_is_the_callers() -> None:
    assert safetensors.header_size((1000).to_bytes(8, "little"), 1000) == 1008
    with pytest.raises(LayoutError):
        safetensors.header_size((1001).to_bytes(8, "little"), 1000)
    with pytest.raises(LayoutError):
        safetensors.header_size((100_000_001).to_bytes(8, "little"), 10**12)


@given(st.integers(0, 150), st.sampled_from([*b'{}[]":,0123456789 "UF\\', 0, 255]))
def test_what_the_reference_refuses_is_refused(at: int, byte: int) -> None:
    said = {"__metadata__": {"k": "v"}, "a": ONE, "bb": {**ONE, "data_offsets": [2, 4]}}
    file = bytearray(file_of(said, b"1234"))
    at = 8 + at % (len(file) - 12)
    file[at] = byte
    mine = shapes_of(bytes(file))
    try:
        read = {name: info["shape"] for name, info in oracle(bytes(file))}
    except (SafetensorError, ValueError):
        assert mine is None
        return
    # The reference keeps the last of two equal names.
    assert mine == read or (mine is None and len(read) == 1)


def shapes_of(file: bytes) -> dict[str | None, list[int]] | None:
    """What the header says of this file, None where it or the file's length is refused."""
    try:
        said = read_file(file)
    except LayoutError:
        return None
    return (
        {t.name: list(t.shape) for t in stored_in(said)} if said.size_bytes == len(file) else None
    )
