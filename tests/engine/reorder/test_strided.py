"""The order in which NumPy goes through a move."""

import pytest

from app.engine import parse_layout, plan
from app.engine.reorder.moves import moves_of
from app.engine.reorder.numpy import strided

Case = tuple[str, str, tuple[int, ...], int]
# Pair, shape and bytes of an item; for each copy, the innermost extent if NumPy keeps the order of
# the views, or None if it chooses.
ORDERS: dict[str, tuple[Case, list[int | None]]] = {
    "few rows": (("NCHW", "NCHW4", (2, 64, 56, 56), 4), [3136]),
    "few rows, then fewer": (("NCHW", "NCHW4", (2, 30, 56, 56), 4), [3136, 3136]),
    "a single row": (("NCHW", "NCHW4", (2, 1, 56, 56), 4), [None]),
    "few rows of wide units": (("NCHW", "NCHW4", (2, 64, 56, 56), 8), [None]),
    "few rows, far apart": (("CHWN", "NCHW4", (1709, 8, 3, 3), 2), [1709]),
    "few rows whose lines collide": (("NHWC", "CHWN", (4, 16, 64, 64), 4), [None]),
    "lines read collide": (("NHWC", "NCHW", (2, 64, 56, 56), 4), [64]),
    "lines read and written collide": (("NHWC", "NCHW", (1, 64, 16, 16), 4), [None]),
    "rows too long for the cache": (("NCHW", "NCHW32", (4, 64, 32, 32), 4), [None]),
    "no lines collide": (("NHWC", "NCHW", (2, 60, 56, 56), 4), [None]),
}


@pytest.mark.parametrize(("case", "innermost"), ORDERS.values(), ids=ORDERS)
def test_the_order_follows_what_stays_in_cache(case: Case, innermost: list[int | None]) -> None:
    source, target = (parse_layout(name, case[2]) for name in case[:2])
    copies = strided.copies_of(moves_of(plan(source, target).boxes, case[3] * 8))
    reading = [copy for copy in copies if copy.zero is None]
    assert [None if copy.is_sorted else copy.shape[-1] for copy in reading] == innermost
