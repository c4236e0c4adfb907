"""Counting addresses and looking for shared ones, against all addresses of small layouts."""

from dataclasses import replace
from unittest import mock

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from app.engine import Digit, Layout, offset_map
from app.engine.inverse import overlap
from app.engine.inverse.search import Budget
from app.engine.model.digits import Swizzle
from tests.engine.strategies import any_layouts, swizzles

FULL = st.lists(st.builds(Digit, st.integers(2, 6), st.integers(1, 40)), min_size=1, max_size=5)


@given(any_layouts())
def test_every_address_is_counted_once(layout: Layout) -> None:
    if layout.elements:
        expected = len(np.unique(offset_map(layout)))
        assert overlap.distinct_addresses(layout) == expected
        with mock.patch.object(overlap, "_MOST_BITS", 0):
            assert overlap.distinct_addresses(layout) == expected


@given(FULL)
def test_what_a_search_leaves_open_is_counted(digits: list[Digit]) -> None:
    shape, strides = (tuple(getattr(g, of) for g in digits) for of in ("extent", "stride"))
    layout = Layout.strided(shape, strides, dims="abcde"[: len(digits)])
    expected = len(np.unique(offset_map(layout))) < layout.elements
    with mock.patch.object(overlap, "Budget", return_value=Budget(-1)):
        assert overlap.shares_addresses.__wrapped__(layout) == expected


@given(FULL, st.integers(0, 9), swizzles())
@example([Digit(3, 2**33), Digit(4, 1)], 5, Swizzle(2, 0, 3))
def test_the_greatest_swizzled_sum(digits: list[Digit], start: int, swizzle: Swizzle) -> None:
    turned = [Digit(g.extent, -g.stride if i % 2 else g.stride) for i, g in enumerate(digits)]
    start -= sum(min(g.reach, 0) for g in turned)
    shape, strides = (tuple(getattr(g, of) for g in turned) for of in ("extent", "stride"))
    layout = Layout.strided(shape, strides, start, dims="abcde"[: len(turned)])
    expected = int(swizzle(offset_map(layout)).max())
    assert replace(layout, swizzle=swizzle).buffer_elements == expected + 1
