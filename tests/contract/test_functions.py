"""``describe`` and ``view`` as ``import stridescope`` offers them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from app import (
    Description,
    Layout,
    LayoutError,
    describe,
    offset_map,
    parse_dtype,
    parse_layout,
    plan_network,
    propagate,
    view,
)

Step = dict[str, Any]
Addresses = npt.NDArray[np.int64]


def test_a_text_and_its_layout_are_described_alike() -> None:
    layout = parse_layout("NCHW4", (2, 6, 3, 3))
    of_text = describe("NCHW4", (2, 6, 3, 3), dtype="float16")
    of_layout = describe(layout, dtype=parse_dtype("float16"))
    assert of_text.readings[0].system == "letters"
    assert of_layout.as_dict() == of_text.as_dict() | {"readings": []}


def test_dims_and_a_larger_buffer_are_taken() -> None:
    found = describe({"strides": [5, 1]}, (2, 3), "NC", "int4", elements=20)
    assert (found.dims, found.strides, found.dtype) == ("NC", (5, 1), "int4")
    assert (found.buffer.elements, found.buffer.bytes) == (20, 10)
    assert describe(parse_layout("HW", (2, 3)), elements=20).buffer.bytes == 80


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda: describe("NCHW"), "shape"),  # type: ignore[call-overload]  # refused
        (lambda: describe(parse_layout("HW", (2, 3)), (2, 3)), "shape"),  # type: ignore[call-overload]  # refused
        (lambda: describe(parse_layout("HW", (2, 3)), dims="HW"), "dims"),  # type: ignore[call-overload]  # refused
        (lambda: describe("HW", (2, 3), dtype="float7"), "dtype"),
        (lambda: describe("HW", (2, 3), elements=5), "elements"),
        (lambda: describe("HW", (2, 3), elements="9"), "elements"),  # type: ignore[call-overload]  # refused
        (lambda: describe("HW", 5), "shape"),  # type: ignore[call-overload]  # refused
        (lambda: describe(parse_layout("HW", (2, 3)), elements=5), "elements"),
    ],
)
def test_a_wrong_argument_is_named(call: Callable[[], object], field: str) -> None:
    with pytest.raises(LayoutError) as refused:
        call()
    assert refused.value.field == field


SIX: Any = np.int64(6)
ARRAY: Any = np.array([2, 6])
SIZES: Any = (np.int32(2), SIX)
X = {"shape": ARRAY, "layout": {"strides": np.array([6, 1]), "offset": np.uint8(0)}}
RELU = {"op": "relu", "inputs": ("x",), "outputs": ("y",)}


@pytest.mark.parametrize(
    "call",
    [
        lambda: parse_layout("HW", SIZES),
        lambda: parse_layout("HW", ARRAY),
        lambda: parse_layout({"strides": (SIX, 1), "offset": np.uint8(0)}, SIZES),
        lambda: describe("HW", SIZES),
        lambda: Layout.strided(SIZES, (SIX, SIX - 5)),
        lambda: Layout.packed(SIZES, "HW", [(0, None), (1, None)]),
        lambda: view(
            parse_layout("HW", (9, SIX)),
            [{"op": "narrow", "dim": np.int8(0), "start": np.int64(0), "length": np.uint8(2)}],
        ),
        lambda: view(parse_layout("W", (12,)), [{"op": "reshape", "shape": np.array([2, 6])}]),
    ],
)
def test_integers_of_numpy_are_sizes(call: Callable[[], Layout | Description]) -> None:
    found = call()
    assert (found.shape, found.strides, found.offset) == ((2, 6), (6, 1), 0)
    assert {type(n) for n in (*found.shape, *(found.strides or ()), found.offset)} == {int}


def test_integers_of_numpy_are_sizes_of_a_network() -> None:
    graph = {"inputs": {"x": X}, "nodes": [RELU]}
    assert propagate(graph, "pytorch-eager")["tensors"]["y"]["shape"] == (2, 6)
    assert plan_network(graph, time_limit_s=np.int64(5))["cost"] == 0
    assert describe("HW", SIZES, elements=SIX + 14).buffer.elements == 20


@pytest.mark.parametrize(
    "sizes",
    [(np.float32(2), 6), (np.True_, 6), (np.array([2]), 6), ([2], 6), (None, 6), ("2", 6)],
)
def test_what_is_no_integer_is_no_size(sizes: Any) -> None:
    with pytest.raises(LayoutError, match=r"^shape\[0\]: .* expected an integer from 0 to"):
        describe("HW", sizes)


def flipped(a: Addresses) -> Addresses:
    return a[:, :, ::-1]


@pytest.mark.parametrize(
    ("step", "twin"),
    [
        ({"op": "permute", "dims": [0, 2, 3, 1]}, lambda a: a.transpose(0, 2, 3, 1)),
        ({"op": "transpose", "dim0": 1, "dim1": -1}, lambda a: a.swapaxes(1, 3)),
        ({"op": "chunk", "dim": 1, "chunks": 2, "index": 1}, lambda a: a[:, 4:]),
        ({"op": "reshape", "shape": (2, 8, -1)}, lambda a: a.reshape(2, 8, 15)),
        ({"op": "broadcast", "shape": [7, -1, -1, -1, -1]}, lambda a: np.stack([a] * 7)),
        ({"op": "narrow", "dim": 3, "start": 1, "length": 2}, lambda a: a[..., 1:3]),
        ({"op": "select", "dim": 2, "index": -1}, lambda a: a[:, :, -1]),
        ({"op": "unsqueeze", "dim": 0}, lambda a: a[None]),
        ({"op": "flip", "dim": 2}, flipped),
        (
            {"op": "submemory", "offsets": [1, 4, 0, 2], "sizes": [1, 4, 3, 3]},
            lambda a: a[1:2, 4:, :, 2:],
        ),
    ],
    ids=lambda value: value["op"] if isinstance(value, dict) else "",
)
def test_a_step_moves_the_addresses_as_numpy_does(
    step: Step, twin: Callable[[Addresses], Addresses]
) -> None:
    layout = parse_layout("NCHW4", (2, 8, 3, 5))
    assert np.array_equal(offset_map(view(layout, [step])), twin(offset_map(layout)))


@pytest.mark.parametrize(
    ("step", "shape"),
    [
        ({"op": "squeeze"}, (2, 3)),
        ({"op": "squeeze", "dim": None}, (2, 3)),
        ({"op": "squeeze", "dim": 1}, (2, 3, 1)),
    ],
)
def test_squeeze_takes_one_dimension_or_all(step: Step, shape: tuple[int, ...]) -> None:
    assert view(parse_layout("NCHW", (2, 1, 3, 1)), [step]).shape == shape


def test_steps_follow_each_other_and_none_is_the_layout_itself() -> None:
    layout = parse_layout("NCHW", (2, 8, 3, 5))
    there_and_back = [{"op": "flip", "dim": 2}, {"op": "flip", "dim": 2}]
    assert view(layout, there_and_back) == layout
    assert view(layout, []) is layout


@pytest.mark.parametrize(
    ("step", "field"),
    [
        ({}, "steps[1]"),
        ({"op": "turn"}, "steps[1]"),
        ({"op": ["flip"]}, "steps[1]"),
        ({"op": "flip"}, "steps[1].dim"),
        ({"op": "flip", "dim": 0, "dims": 0}, "steps[1].?"),
        ({"op": "reshape", "shape": [240], "field": "x"}, "steps[1].?"),
        ({"op": "flip", "dim": 4}, "steps[1].dim"),
        ({"op": "reshape", "shape": [7, 7]}, "steps[1].shape"),
    ],
)
def test_a_step_that_is_refused_is_named(step: Step, field: str) -> None:
    with pytest.raises(LayoutError) as refused:
        view(parse_layout("NCHW", (2, 8, 3, 5)), [{"op": "flip", "dim": 0}, step])
    assert refused.value.field == field


def test_a_step_that_needs_a_copy_says_why() -> None:
    nhwc = parse_layout("NHWC", (2, 8, 3, 5))
    with pytest.raises(LayoutError, match=r"^steps\[0\]: got a step that needs a copy \(.+[^.]\)"):
        view(nhwc, [{"op": "reshape", "shape": [2, -1]}])
