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


@pytest.mark.parametrize(
    ("step", "twin"),
    [
        ({"op": "flatten", "start_dim": 2}, lambda a: a.reshape(2, 8, 15)),
        ({"op": "T"}, lambda a: a.T),
        ({"op": "mT"}, lambda a: a.mT),
        ({"op": "index", "index": ":, ::4, ..., 1"}, lambda a: a[:, ::4, ..., 1]),
        ({"op": "unfold", "dim": 1, "size": 4, "step": 4}, lambda a: windows(a, 1, 4, 4)),
        ({"op": "unfold", "dim": -1, "size": 3, "step": 2}, lambda a: windows(a, 3, 3, 2)),
    ],
    ids=lambda value: value["op"] if isinstance(value, dict) else "",
)
def test_a_step_moves_the_addresses_as_numpy_does(
    step: Step, twin: Callable[[Addresses], Addresses]
) -> None:
    layout = parse_layout("NCHW4", (2, 8, 3, 5))
    assert np.array_equal(offset_map(view(layout, [step])), twin(offset_map(layout)))


def test_steps_that_leave_the_layout_or_follow_each_other() -> None:
    nhwc = parse_layout("NHWC", (2, 8, 3, 5))
    assert view(nhwc, [{"op": "flip", "dim": 2}, {"op": "flip", "dim": 2}]) == nhwc
    assert view(nhwc, [{"op": "contiguous", "memory_format": "channels_last"}]) == nhwc
    assert view(nhwc, []) is nhwc
    narrow = parse_layout("NCHW", (2, 1, 3, 1))
    for dim, shape in (({}, (2, 3)), ({"dim": None}, (2, 3)), ({"dim": 1}, (2, 3, 1))):
        assert view(narrow, [{"op": "squeeze", **dim}]).shape == shape
    for step, reason in (
        ({"op": "flatten", "start_dim": 1}, "cannot join in one new dimension"),
        ({"op": "contiguous"}, "are not those of contiguous_format"),
    ):
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
