"""The formulas of digits and swizzles, each against one index or one bit at a time."""

import math
from itertools import pairwise
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import Digit, Layout, offset_map, parse_layout
from app.engine.model import digits as digits_module
from app.engine.model.digits import (
    Swizzle,
    by_stride,
    merged,
    outer_sum,
    places,
    reachable,
    strides_nest,
)
from tests.engine import strategies
from tests.engine.strategies import any_layouts, swizzles
from tests.examples import examples

DIGITS = st.lists(
    st.builds(
        Digit, st.integers(1, 5), st.sampled_from([-12, -4, -1, 0, 1, 1, 2, 3, 4, 5, 6, 12, 24])
    ),
    min_size=1,
    max_size=5,
)


def offset_of(digits: list[Digit], index: int) -> int:
    total = 0
    for g in reversed(digits):
        index, value = divmod(index, g.extent)
        total += value * g.stride
    return total


def test_places_of_an_empty_dimension_count_its_extent_as_one() -> None:
    digits = [Digit(3, 8), Digit(0, 4), Digit(2, 1)]
    assert places(digits) == ((1, digits[2]), (2, digits[1]), (2, digits[0]))


@given(DIGITS)
def test_merged_digits_are_the_fewest_that_say_the_same(digits: list[Digit]) -> None:
    found = list(merged(digits))
    count = math.prod(g.extent for g in digits)
    assert math.prod(g.extent for g in found) == count
    assert [offset_of(found, i) for i in range(count)] == [
        offset_of(digits, i) for i in range(count)
    ]
    assert all(g.extent > 1 for g in found)
    for outer, inner in pairwise(found):
        assert outer.stride != inner.stride * inner.extent


@given(DIGITS, st.data())
def test_reachable_digits_are_those_that_an_index_moves(
    digits: list[Digit], data: st.DataObject
) -> None:
    size = data.draw(st.integers(0, math.prod(g.extent for g in digits)))
    found = list(reachable(digits, size))
    assert [offset_of(found, i) for i in range(size)] == [offset_of(digits, i) for i in range(size)]
    assert bool(found) == (size > 1)
    if found:  # as many whole steps of the outermost digit as the size needs
        place = math.prod(g.extent for g in found[1:])
        assert found[0].extent == -(-size // place)


@given(
    st.lists(st.lists(st.integers(-9, 9), max_size=5), min_size=1, max_size=4),
    st.integers(-9, 9),
    st.sampled_from([1, 4, 1000]),
)
def test_an_outer_sum_takes_one_entry_of_each_table(
    tables: list[list[int]], start: int, run: int
) -> None:
    shape = tuple(map(len, tables))
    expected = [
        start + sum(t[i] for t, i in zip(tables, at, strict=True)) for at in np.ndindex(shape)
    ]
    arrays = [np.array(t, dtype=np.int64) for t in tables]
    out = np.zeros(shape, dtype=np.int64)
    with mock.patch.object(digits_module, "_RUN", run):
        found = outer_sum(arrays, start=start)
        assert outer_sum(arrays, start=start, out=out) is out
    assert found.shape == shape
    assert found.ravel().tolist() == out.ravel().tolist() == expected


@examples(300)
@given(any_layouts(), st.data())
def test_offsets_at_indices_are_the_formula(layout: Layout, data: st.DataObject) -> None:
    indices = [
        data.draw(st.lists(st.integers(0, padded - 1), max_size=3))
        for padded in layout.padded_shape
    ]
    found = layout.offsets_at([np.array(each, dtype=np.int64) for each in indices])
    assert isinstance(found, np.ndarray)
    assert found.shape == tuple(map(len, indices))
    for at in np.ndindex(found.shape):
        coordinate = tuple(each[i] for each, i in zip(indices, at, strict=True))
        assert found[at] == strategies.address(layout, coordinate)


def test_offsets_at_too_few_indices_are_an_error() -> None:
    with pytest.raises(ValueError, match="zip"):
        Layout.strided((2, 3), (3, 1)).offsets_at([np.arange(2)])


@examples(500)
@given(swizzles(), st.integers(0, 2**12))
def test_a_swizzle_moves_its_masked_bits(swizzle: Swizzle, offset: int) -> None:
    low, high = swizzle.base, swizzle.base + abs(swizzle.shift)
    source = high if swizzle.shift >= 0 else low
    assert swizzle.mask == sum(1 << source + i for i in range(swizzle.bits))
    expected = strategies.swizzled(swizzle, offset)
    offsets = np.array([offset])
    assert (offsets ^ swizzle.moved(offsets)).tolist() == [expected]
    assert swizzle(offsets).tolist() == [expected]
    assert swizzle(swizzle(offsets)).tolist() == [offset]
    assert offset ^ eval(swizzle.moved_text("x"), {"x": offset}) == expected  # noqa: S307  # our own text


@given(DIGITS)
def test_digits_by_stride_nest_where_no_address_is_met_twice(digits: list[Digit]) -> None:
    ordered = by_stride(digits)
    assert sorted((g.extent, abs(g.stride)) for g in digits) == sorted(
        (g.extent, g.stride) for g in ordered
    )
    assert [g.stride for g in ordered] == sorted((abs(g.stride) for g in digits), reverse=True)
    moving = [g for g in ordered if g.extent > 1]
    if strides_nest(moving):
        count = math.prod(g.extent for g in moving)
        assert len({offset_of(moving, i) for i in range(count)}) == count


@pytest.mark.parametrize(("a", "b"), [("aBcd16b", "aBcd32b"), ("aBcd8b", "aBcd32b")])
def test_blocks_that_continue_each_other_are_the_memory_of_a_longer_one(a: str, b: str) -> None:
    blocks, one = (parse_layout(f"onednn:{text}", (2, 25, 1, 1)) for text in (a, b))
    assert np.array_equal(offset_map(blocks), offset_map(one))
    assert blocks.padded_shape == one.padded_shape
    assert blocks.reachable_digits(1) == one.reachable_digits(1) == (Digit(25, 1),)
    assert blocks.normal_form == one.normal_form
