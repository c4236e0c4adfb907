"""Walks: what the engine counts from loops is what visiting every element counts."""

import math
from collections import Counter
from dataclasses import asdict
from functools import partial
from types import ModuleType

import numpy as np
import pytest

from app.engine import LayoutError, parse_layout
from app.engine.cost import lines, nest, walk
from app.engine.cost.cache import Cache
from app.engine.cost.lines import distinct_lines
from app.engine.cost.nest import nest_of, order_text, parse_order
from app.engine.cost.walk import Hierarchy, compare_orders, walk_cost
from app.engine.model.arrays import distinct_of
from app.engine.model.dtypes import parse_dtype
from app.engine.model.layout import Digit, Layout
from app.engine.notation.orders import Order
from tests.cost import assert_costs_like
from tests.engine.cost import brute_force
from tests.engine.strategies import Choice, Nest, Seeded, nested, packed, scrambled
from tests.examples import fewer

NEST = Nest((1,), (0, 0, 1, 5), (1, 1, 1, 0, 2), (1, 1, -1), range(4), padded=True)
WALKS = fewer(2_000)
FLOAT32 = parse_dtype("float32")
SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12)


def _layout(choice: Choice) -> Layout:
    kind = choice.of(("packed", "packed", "nested", "scrambled"))
    if kind == "packed":
        shape = tuple(choice.of(SIZES) for _ in range(choice.of((1, 2, 3, 4))))
        return packed(choice, shape if math.prod(shape) <= 1500 else shape[:2])
    if kind == "nested":
        extents = [
            [choice.of((2, 3, 4)) for _ in range(choice.of((1, 2)))]
            for _ in range(choice.of((1, 2, 3)))
        ]
        return nested(choice, extents, NEST)
    return scrambled(choice)


def _order(choice: Choice, layout: Layout) -> Order:
    order: list[tuple[int, int | None]] = [(d, None) for d in choice.order(range(layout.rank))]
    if layout.rank:
        for _ in range(choice.of((0, 0, 1, 2))):
            block = (choice.of(range(layout.rank)), choice.of((2, 3, 4, 8)))
            order.insert(choice.of(range(len(order) + 1)), block)
    return tuple(order)


def _counted_as_by_brute_force(seed: int) -> tuple[Layout, Order]:
    """A random walk, whose costs are as they should be."""
    choice = Seeded(seed)
    layout = _layout(choice)
    order = _order(choice, layout)
    dtype = parse_dtype(choice.of(("float32", "int8", "int4", "float64", "float16")))
    line_bytes = choice.of((1, 4, 8, 16, 16, 32, 64, 3, 12, 24))
    page_bytes = choice.of((32, 64, 128, 100))
    ways = choice.of((1, 2, 4))
    cache = Cache(ways * choice.of((1, 2, 4, 3)), ways) if choice.of((0, 1)) else None
    text = order_text(order, layout.dims)
    found = walk_cost(layout, dtype, text, Hierarchy(line_bytes, page_bytes, cache))
    assert found.stopped is None
    given = None if cache is None else (cache.entries, cache.ways)
    wanted = brute_force.cost(layout, dtype.bits, order, line_bytes, page_bytes, given)
    got = asdict(found)
    assert {name: got[name] for name in wanted} == wanted, (seed, layout, text, dtype.name)
    return layout, order


def test_random_walks_equal_brute_force() -> None:
    kinds: Counter[str] = Counter()
    for seed in range(WALKS):
        layout, order = _counted_as_by_brute_force(seed)
        regular = layout.swizzle is None and nest_of(layout, order) is not None
        kinds["closed" if regular else "visited"] += 1
        if not layout.swizzle:
            kinds["distinct" if distinct_lines(layout, 16) is not None else "listed"] += 1
    # Both ways of counting are tried often.
    assert kinds["closed"] > WALKS // 2
    assert kinds["visited"] > WALKS // 20
    assert kinds["distinct"] > 3 * WALKS // 4


@pytest.mark.parametrize(
    ("module", "limit", "least"),
    [(lines, "MOST_NODES", 2), (nest, "MOST_NODES", 1), (lines, "_MOST_WORK", 16)],
)
def test_what_is_too_much_work_is_counted_in_another_way(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType, limit: str, least: int
) -> None:
    monkeypatch.setattr(module, limit, least)
    for seed in range(fewer(300)):
        _counted_as_by_brute_force(seed)


def test_windows_that_overlap_are_counted_from_loops_and_interleaved_ones_are_visited() -> None:
    size = 1 << 20
    windows = Layout.strided((size, size, 3, 3), (size + 2, 1, size + 2, 1))
    assert distinct_lines(windows, 16) == (size + 2) ** 2 // 16 + 1
    interleaved = Layout.strided((3, 3), (2 * 2**60, 3 * 2**59))
    assert distinct_lines(interleaved, 16) is None
    assert walk_cost(interleaved, FLOAT32).lines.distinct == 9


def test_orders_are_read_back() -> None:
    for text in ("NCHW", "NHWC", "NCHW4C", "WHCN2H4C"):
        assert order_text(parse_order(text, "NCHW"), "NCHW") == text
    assert parse_order("nchw4c", "NCHW") == parse_order("NCHW4", "NCHW")
    assert parse_order("N, H W C", "NCHW") == parse_order("NHWC", "NCHW")
    assert parse_order(None, "NCHW") == parse_order("NCHW", "NCHW")
    assert parse_order("aA", "Aa") == ((1, None), (0, None))
    assert parse_order("", "") == ()


@pytest.mark.parametrize(
    ("text", "position"),
    [("NCHX", 3), ("NCC", 2), ("NHW", None), ("0cNCHW", 0), ("NCHW" + "9" * 19 + "c", 4)],
)
def test_an_order_that_is_none_is_refused(text: str, position: int | None) -> None:
    with pytest.raises(LayoutError) as refused:
        parse_order(text, "NCHW")
    assert (refused.value.field, refused.value.position) == ("walk.order", position)
    with pytest.raises(LayoutError, match="expected no letters: rank 0"):
        parse_order("4" if position == 0 else text[:3], "")


def test_a_terabyte_is_counted_from_its_loops() -> None:
    layout = parse_layout("NCHW", (1000,) * 4)
    along = walk_cost(layout, FLOAT32, "NCHW")
    assert along.accesses == 10**12
    assert along.lines.distinct == along.lines.fetched == 10**12 // 16
    assert along.lines.useful_bytes == along.lines.fetched_bytes == 4 * 10**12
    assert (along.jumps.smallest, along.jumps.median, along.jumps.largest) == (1, 1, 1)
    across = walk_cost(layout, FLOAT32, "NHWC", Hierarchy(cache=Cache(512, 8)))
    assert across.lines.fetched == 10**12
    assert across.jumps.largest == 999 * 10**6 - 1
    assert along.stopped is across.stopped is None


def test_sizes_of_zero_and_rank_zero() -> None:
    nothing = walk_cost(parse_layout("NCHW", (2, 0, 3, 3)), FLOAT32)
    assert (nothing.accesses, nothing.lines.distinct, nothing.lines.fetched) == (0, 0, 0)
    assert (nothing.pages.fetched, nothing.jumps.smallest) == (0, None)
    one = walk_cost(Layout.strided((), (), 100), FLOAT32)
    assert (one.order, one.accesses, one.lines.fetched, one.pages.distinct) == ("", 1, 1, 1)
    assert (one.lines.useful_bytes, one.lines.fetched_bytes, one.jumps.median) == (4, 64, None)


# No loop serves these and the blocks of 4 of a walk.
BLOCKS_OF_6 = Layout((6000,), "C", ((Digit(1000, 12), Digit(6, 1)),))


def test_the_counter_says_where_it_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "_VISITED", 1000)
    layout = BLOCKS_OF_6
    found = walk_cost(layout, FLOAT32, "C4c")
    assert found.stopped is not None
    assert found.stopped.accesses == 1000
    assert found.stopped.at_least == ("lines.fetched", "lines.fetched_bytes", "pages.fetched")
    assert found.stopped.partial == ("jumps",)
    whole = brute_force.cost(layout, 32, ((0, None), (0, 4)), 64, 4096, None)
    assert isinstance(whole["lines"], dict)
    assert found.lines.distinct == whole["lines"]["distinct"]
    assert 0 < found.lines.fetched < whole["lines"]["fetched"]


def test_a_cache_stops_at_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "_TOUCHED", 100)
    layout = Layout.strided((10, 10, 10), (1000, 1700, 130))
    found = walk_cost(layout, FLOAT32, None, Hierarchy(cache=Cache(8, 2)))
    assert found.stopped is not None
    assert found.stopped.at_least == ("lines.fetched", "lines.fetched_bytes")
    assert 0 < found.stopped.accesses <= found.lines.fetched <= 100
    # Access by access.
    monkeypatch.setattr(nest, "_CHUNK", 32)
    found = walk_cost(BLOCKS_OF_6, FLOAT32, "C4c", Hierarchy(cache=Cache(8, 2)))
    assert found.stopped is not None
    assert found.stopped.at_least == ("lines.fetched", "lines.fetched_bytes")
    assert 0 < found.lines.fetched <= found.stopped.accesses <= 100


def test_all_orders_of_four_loops() -> None:
    layout = parse_layout("NHWC", (2, 8, 16, 16))
    found = compare_orders(layout, FLOAT32)
    assert len(found) == 24
    assert [each.order for each in found if each.best] == ["NHWC"]
    for each in found:
        same = walk_cost(layout, FLOAT32, each.order)
        assert (each.lines_fetched, each.pages_fetched) == (same.lines.fetched, same.pages.fetched)
        assert each.jumps == same.jumps
    costs = [(each.lines_fetched, each.pages_fetched) for each in found]
    assert costs == sorted(costs)


def test_orders_that_are_not_counted_to_the_end_come_last_by_lines_per_access() -> None:
    memory = Hierarchy(cache=Cache(64, 8))
    found = compare_orders(parse_layout("NHWC", (128, 64, 56, 56)), FLOAT32, memory)
    stopped = [each.stopped is not None for each in found]
    assert stopped == sorted(stopped)
    cut = [each for each in found if each.stopped]
    shares = [each.lines_fetched / each.stopped.accesses for each in cut if each.stopped]
    assert shares == sorted(shares)
    lines = [each.lines_fetched for each in cut]
    assert len(cut) > 1
    assert lines != sorted(lines)


def test_orders_of_few_and_of_many_loops() -> None:
    assert [each.order for each in compare_orders(Layout.strided((), ()), FLOAT32)] == [""]
    still = compare_orders(parse_layout("NCHW", (1, 3, 1, 4)), FLOAT32)
    assert [each.order for each in still] == ["NHCW", "NHWC"]
    with pytest.raises(LayoutError, match="at most 4"):
        compare_orders(Layout.strided((2,) * 5, (16, 8, 4, 2, 1)), FLOAT32)


def test_many_addresses_are_told_apart_as_fast_as_they_are_sorted() -> None:
    columns = np.arange(1 << 19, dtype=np.int64) * 6
    found = (columns[:, None] + np.arange(3, dtype=np.int64) * (1 << 31)).ravel()
    assert np.array_equal(distinct_of(np.r_[found[::-1], found]), np.sort(found))
    assert_costs_like(partial(np.sort, found), partial(distinct_of, found), times=5)
