"""The order in which NumPy goes through a move, and the tiles of rows that are written in it."""

from __future__ import annotations

import numpy as np
import pytest

from app.engine import offset_map, parse_layout, plan, reorder
from app.engine.reorder import moves_of
from app.engine.reorder.numpy import strided

Case = tuple[str, str, tuple[int, ...], int]
# Pair, shape and bytes of an item; for each copy, the innermost extent if NumPy keeps the order of
# the views, or None if it chooses.
ORDERS: dict[str, tuple[Case, list[int | None]]] = {
    "few rows": (("NCHW", "NCHW4", (2, 64, 56, 56), 4), [3136]),
    "few rows, then fewer": (("NCHW", "NCHW4", (2, 30, 56, 56), 4), [3136, 3136]),
    "a single row": (("NCHW", "NCHW4", (2, 1, 56, 56), 4), [None]),
    "few rows of wide units": (("NCHW", "NCHW4", (2, 64, 56, 56), 8), [None]),
    "few rows, far apart": (("CHWN", "NCHW4", (1709, 8, 3, 3), 2), [342, 341]),
    "few rows whose lines collide": (("NHWC", "CHWN", (4, 16, 64, 64), 4), [None]),
    "lines read collide": (("NHWC", "NCHW", (2, 64, 56, 56), 4), [64]),
    "lines read and written collide": (("NHWC", "NCHW", (1, 64, 16, 16), 4), [None]),
    "rows too long for the cache": (("NCHW", "NCHW32", (4, 64, 32, 32), 4), [None]),
    "no lines collide": (("NHWC", "NCHW", (2, 60, 56, 56), 4), [None]),
}


@pytest.mark.parametrize(("case", "innermost"), ORDERS.values(), ids=ORDERS)
def test_the_order_follows_what_stays_in_cache(case: Case, innermost: list[int | None]) -> None:
    source, target = (parse_layout(name, case[2]) for name in case[:2])
    steps = strided.steps_of(moves_of(plan(source, target).boxes, case[3] * 8))
    copies = [step for step in steps if step.zero is None]
    assert [None if step.is_sorted else step.shape[-1] for step in copies] == innermost


@pytest.mark.parametrize("item_bytes", [1, 2, 4])
@pytest.mark.parametrize("shape", [(1709, 6, 3, 3), (1600, 4, 5, 4), (2551, 3, 4, 4)], ids=str)
def test_tiles_and_their_rest_equal_the_slow_path(shape: tuple[int, ...], item_bytes: int) -> None:
    dtype = np.dtype(f"u{item_bytes}")
    for names in (("CHWN", "NCHW4"), ("CHWN", "NHWC"), ("CHWN", "NCHW6")):
        source, target = (parse_layout(name, shape) for name in names)
        buffer = np.random.default_rng(1).integers(1, 100, source.buffer_elements).astype(dtype)
        expected = np.zeros(target.buffer_elements, dtype)
        expected[offset_map(target).ravel()] = buffer[offset_map(source).ravel()]
        for _ in range(2):
            out = np.full(target.buffer_elements, 0xA5, dtype)
            reorder(buffer, source, target, out=out, threads=1, backend="numpy")
            assert np.array_equal(out, expected)
