"""The value itself: what it accepts, what it derives."""

import math
import os
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from app.engine import Digit, Layout, LayoutError, offset_map, parse_dtype, parse_layout
from app.engine.model.layout import INT64_MAX, Swizzle, packed_strides
from app.engine.notation import Request, read_layout
from tests.engine.strategies import any_layouts, enumerate_addresses
from tests.examples import examples

SWIZZLE = Swizzle(2, 0, 3)


@examples(500)
@given(any_layouts())
def test_strides_exist_exactly_where_addresses_are_linear(layout: Layout) -> None:
    gaps = [np.diff(layout.table(d)).tolist() for d in range(layout.rank)]
    linear = layout.swizzle is None and all(len(set(g)) <= 1 for g in gaps)
    assert (layout.strides is not None) == linear
    for g, stride in zip(gaps, layout.strides or [], strict=False):
        assert not g or g[0] == stride


@examples(300)
@given(any_layouts())
def test_bounds_are_those_of_the_padded_tensor(layout: Layout) -> None:
    owners = enumerate_addresses(layout, layout.padded_shape)
    if layout.swizzle is None:
        assert layout.bounds == (min(owners), max(owners))
    assert layout.buffer_elements == max(owners) + 1


@pytest.mark.parametrize(
    ("text", "shape", "physical"),
    [
        ("NCHW4", (2, 64, 3, 3), (2, 16, 3, 3, 4)),
        ("CHWN4", (2, 64, 3, 3), (16, 3, 3, 2, 4)),
        ("NHWC", (1, 1, 2, 2), (1, 2, 2, 1)),
        ("NHWC", (1, 0, 1, 1), (1, 1, 1, 0)),
        ("OIhw4i16o4i", (16, 32, 3, 3), (1, 2, 3, 3, 4, 16, 4)),
        ("(5, 1)", (2, 3), (2, 3)),
        ("(0, 1)", (2, 3), None),
        ("(1, 1)", (2, 3), None),
        ("(3, 2)", (2, 3), None),
    ],
)
def test_physical_shape(
    text: str, shape: tuple[int, ...], physical: tuple[int, ...] | None
) -> None:
    assert read_layout(text, Request(shape)).physical_shape == physical
    if 0 not in shape:  # with no elements there is no order in memory but the written one
        assert parse_layout(text, shape).physical_shape == physical


def test_sizes_up_to_the_last_int64_are_exact() -> None:
    layout = Layout.strided((INT64_MAX,), (1,))
    assert layout.buffer_elements == INT64_MAX == layout.elements
    assert math.isqrt(INT64_MAX) == 3037000499
    assert Layout.strided((3037000499, 3037000499), (3037000499, 1)).buffer_elements == (
        3037000499**2
    )


@pytest.mark.parametrize(
    ("shape", "strides", "offset", "field"),
    [
        ((2**63,), (1,), 0, "shape[0]"),
        ((2**32, 2**32), (2**32, 1), 0, "shape"),
        ((2, 2), (2**62, 2**62), 0, "layout"),
        ((2,), (1,), INT64_MAX, "layout"),
        ((3,), (-1,), 1, "layout.offset"),
        ((2, 3), (1,), 0, "layout.strides"),
        ((1,) * 53, (1,) * 53, 0, "shape"),
        ((2,), (2**63,), 0, "layout.strides[0]"),
    ],
)
def test_what_int64_cannot_hold_is_refused(
    shape: tuple[int, ...], strides: tuple[int, ...], offset: int, field: str
) -> None:
    with pytest.raises(LayoutError) as refused:
        Layout.strided(shape, strides, offset)
    assert refused.value.field == field


FOUR = (Digit(2, 2), Digit(2, 1))
LONG = ((2**11, 2**12), "HW", ((Digit(2**11, 2**12),), (Digit(2**12, 1),)))
INVALID: dict[str, tuple[Any, tuple[Any, ...], str]] = {
    "dims": (Layout, ((4,), "HW", (FOUR,)), "dims"),
    "dims twice": (Layout, ((4, 4), "HH", (FOUR, FOUR)), "dims"),
    "dims no letters": (Layout, ((4,), "1", (FOUR,)), "dims"),
    "more digits": (Layout, ((4,), "W", (FOUR, FOUR)), "digits"),
    "digits too short": (Layout, ((5,), "W", (FOUR,)), r"digits\[0\]"),
    "a list of digits": (Layout, ((4,), "W", [FOUR]), "digits"),
    "no digits": (Layout, ((4,), "W", ((),)), r"digits\[0\]"),
    "no name of a type": (parse_dtype, (5,), "dtype"),
    "pairs": (Layout, ((4,), "W", (((4, 1),),)), r"digits\[0\]"),
    "shape a list": (Layout, ([4], "W", (FOUR,)), "shape"),
    "stride beyond int64": (Layout, ((1,), "W", ((Digit(1, -(2**63)),),)), "layout"),
    "offset true": (Layout, ((4,), "W", (FOUR,), True), "layout.offset"),
    "swizzle a tuple": (Layout, ((4,), "W", (FOUR,), 0, (2, 0, 3)), "swizzle"),
    "swizzled": (Layout, (*LONG, 0, SWIZZLE), "shape"),
    "digit negative": (Digit, (-2, 1), "digit.extent"),
    "digit stride": (Digit, (2, 1.5), "digit.stride"),
    "swizzle bits": (Swizzle, (1.0, 0, 3), "swizzle.bits"),
    "swizzle shift": (Swizzle, (2, 0, 1), "layout"),
    "swizzle reach": (Swizzle, (10, 10, 20), "layout"),
}


@pytest.mark.parametrize(("kind", "fields", "field"), INVALID.values(), ids=INVALID.keys())
def test_what_is_no_layout_is_refused_by_its_field(kind: Any, fields: Any, field: str) -> None:
    with pytest.raises(LayoutError, match=f"^{field}: "):
        kind(*fields)


def test_the_text_of_a_layout_names_its_swizzle_and_offset() -> None:
    layout = Layout.strided((2, 3), (5, 1), 3)
    assert str(layout) == "(5, 1)+3"
    assert str(replace(layout, swizzle=SWIZZLE)) == "Swizzle<2,0,3> of [[(2, 5)], [(3, 1)]]+3"


def test_a_negative_address_names_the_offset_that_mends_it() -> None:
    with pytest.raises(LayoutError, match="an offset of at least 13"):
        Layout.strided((3, 4), (-5, -1))
    assert offset_map(Layout.strided((3, 4), (-5, -1), 13)).min() == 0


def test_equality_is_of_addresses_not_of_spelling() -> None:
    assert parse_layout("NHWC", (2, 3, 4, 5)) == parse_layout("(60, 1, 15, 3)", (2, 3, 4, 5))
    assert parse_layout("NHWC", (2, 3, 4, 5)) != parse_layout("NCHW", (2, 3, 4, 5))


def test_equal_layouts_are_one_key_in_any_process() -> None:
    """Spelling and order take no part, and no string, whose hash differs between processes."""
    script = (
        "from app.engine import Layout, parse_layout\n"
        "a, b = parse_layout('NHWC', (2, 3, 4, 5)), Layout.strided((2, 3, 4, 5), (60, 1, 15, 3))\n"
        "c = pickle.loads(pickle.dumps(a)) if hash(a) == hash(b) else None\n"
        "print(hash(a), hash(b), hash(c), len({a, b, c}))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", f"import pickle\n{script}"],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1
    *hashes, keys = said.pop().split()
    assert (len(set(hashes)), keys) == (1, "1")


def test_replacing_a_field_forgets_the_hash() -> None:
    layout = parse_layout("NCHW4", (2, 6, 3, 3))
    assert hash(replace(layout, offset=5)) != hash(layout)
    assert hash(replace(layout, offset=5, swizzle=None)) == hash(replace(layout, offset=5))


def test_packed_strides_are_those_of_numpy() -> None:
    for shape in ((), (3,), (2, 3, 4), (2, 0, 3), (0, 0)):
        array = np.empty(tuple(max(n, 1) for n in shape), dtype=np.int8)
        assert packed_strides(shape) == array.strides


def test_a_swizzle_beyond_int64_is_refused_where_it_was_written() -> None:
    top = 2**63 - 8
    assert Layout.strided((1,), (1,), top).buffer_elements == top + 1
    with pytest.raises(LayoutError) as refused:
        parse_layout(f"c:(w + {top}) ^ (((w + {top}) & 56) >> 3)", (1,))
    assert refused.value.field == "layout"
