"""``describe`` and ``view`` as ``import stridescope`` offers them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from app import LayoutError, describe, offset_map, parse_dtype, parse_layout, view

Step = dict[str, Any]
Addresses = npt.NDArray[np.int64]


def test_a_text_and_its_layout_are_described_alike() -> None:
    layout = parse_layout("NCHW4", (2, 6, 3, 3))
    of_text = describe("NCHW4", (2, 6, 3, 3), dtype="float16")
    of_layout = describe(layout, dtype=parse_dtype("float16"))
    assert of_text.readings[0].system == of_text.system == "letters"
    assert of_layout.as_dict() == of_text.as_dict() | {"readings": [], "system": None}


def test_dims_and_a_larger_buffer_are_taken() -> None:
    found = describe({"strides": [5, 1]}, (2, 3), "NC", "int4", elements=20)
    assert (found.dims, found.strides, found.dtype) == ("NC", (5, 1), "int4")
    assert (found.buffer.elements, found.buffer.bytes) == (20, 10)
    assert describe(parse_layout("HW", (2, 3)), elements=20).buffer.bytes == 80


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda: describe(np.zeros(3)), "shape"),  # type: ignore[call-overload]  # refused
        (lambda: describe("NCHW"), "shape"),  # type: ignore[call-overload]  # refused
        (lambda: describe(parse_layout("HW", (2, 3)), (2, 3)), "shape"),  # type: ignore[call-overload]  # refused
        (lambda: describe(parse_layout("HW", (2, 3)), dims="HW"), "dims"),  # type: ignore[call-overload]  # refused
        (lambda: describe("HW", (2, 3), dtype="float7"), "dtype"),
        (lambda: describe("HW", (2, 3), elements=5), "elements"),
        (lambda: describe(parse_layout("HW", (2, 3)), elements=5), "elements"),
    ],
)
def test_a_wrong_argument_is_named(call: Callable[[], object], field: str) -> None:
    with pytest.raises(LayoutError) as refused:
        call()
    assert refused.value.field == field


def windows(a: Addresses, axis: int, size: int, step: int) -> Addresses:
    every = np.lib.stride_tricks.sliding_window_view(a, size, axis)
    return every.swapaxes(0, axis)[::step].swapaxes(0, axis)


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
        ({"op": "flatten", "start_dim": 2}, lambda a: a.reshape(2, 8, 15)),
        ({"op": "T"}, lambda a: a.T),
        ({"op": "mT"}, lambda a: a.mT),
        ({"op": "index", "index": ":, ::4, ..., 1"}, lambda a: a[:, ::4, ..., 1]),
        ({"op": "unfold", "dim": 1, "size": 4, "step": 4}, lambda a: windows(a, 1, 4, 4)),
        ({"op": "unfold", "dim": -1, "size": 3, "step": 2}, lambda a: windows(a, 3, 3, 2)),
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


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        ({"op": "flatten", "start_dim": 1}, "has stride 1"),
        ({"op": "contiguous"}, "are not those of contiguous_format"),
        ({"op": "contiguous", "memory_format": "channels_last"}, None),
    ],
)
def test_flatten_and_contiguous_copy_where_pytorch_does(step: Step, reason: str | None) -> None:
    nhwc = parse_layout("NHWC", (2, 8, 3, 5))
    if reason is None:
        assert view(nhwc, [step]) == nhwc
        return
    with pytest.raises(LayoutError, match=reason):
        view(nhwc, [step])


@pytest.mark.parametrize(
    ("step", "field"),
    [
        ({"op": "flatten", "start_dim": 2, "end_dim": 1}, "steps[0].end_dim"),
        ({"op": "unfold", "dim": 0, "size": 3, "step": 1}, "steps[0].size"),
        ({"op": "unfold", "dim": 0, "size": 1, "step": 0}, "steps[0].step"),
        ({"op": "unfold", "dim": 1, "size": 3, "step": 1}, "steps[0]"),
        ({"op": "contiguous", "memory_format": "channels"}, "steps[0].memory_format"),
        ({"op": "contiguous", "memory_format": "channels_last_3d"}, "steps[0].memory_format"),
        ({"op": "contiguous"}, "steps[0]"),
        ({"op": "index", "index": "9"}, "steps[0].index"),
        ({"op": "index", "index": ":, 2:6"}, "steps[0]"),
    ],
)
def test_new_steps_are_refused_by_field(step: Step, field: str) -> None:
    with pytest.raises(LayoutError) as refused:
        view(parse_layout("NCHW4", (2, 8, 3, 5)), [step])
    assert refused.value.field == field
    with pytest.raises(LayoutError):
        view(parse_layout("W", (4,)), [{"op": "mT"}])


def test_a_step_that_needs_a_copy_says_why() -> None:
    nhwc = parse_layout("NHWC", (2, 8, 3, 5))
    with pytest.raises(LayoutError, match=r"^steps\[0\]: got a step that needs a copy \(.+[^.]\)"):
        view(nhwc, [{"op": "reshape", "shape": [2, -1]}])
