"""POST /cost: known figures, defaults, and refusals that name the field."""

from functools import partial

import httpx2
import pytest

from tests.api.refusals.problems import refused
from tests.api.twin import Json, post
from tests.cost import assert_costs_like

SQUARE: Json = {"shape": [64, 64], "layout": "HW"}
TILE: Json = {"shape": [32, 32], "layout": "HW"}
NCHW: Json = {"shape": [1, 64, 56, 56], "layout": "NCHW"}


def test_a_walk_in_two_orders(client: httpx2.Client) -> None:
    along = post(client, "/cost", {"tensor": NCHW, "walk": {}})
    assert along == {
        "order": "NCHW",
        "accesses": 200704,
        "lines": {
            "distinct": 12544,
            "fetched": 12544,
            "useful_bytes": 802816,
            "fetched_bytes": 802816,
        },
        "pages": {"distinct": 196, "fetched": 196},
        "jumps": {"smallest": 1, "median": 1, "largest": 1},
        "stopped": None,
    }
    across = post(client, "/cost", {"tensor": NCHW, "walk": {"order": "NHWC"}})
    assert across["lines"]["fetched"] == across["accesses"] == 200704
    assert across["jumps"] == {"smallest": 3136, "median": 3136, "largest": 197567}
    cache = {"bytes": 32768, "ways": 8}
    cached = post(client, "/cost", {"tensor": NCHW, "walk": {"order": "NHWC", "cache": cache}})
    assert 12544 <= cached["lines"]["fetched"] <= 200704


def test_a_transposition_through_global_memory(client: httpx2.Client) -> None:
    sectors = dict.fromkeys("WH", 0)
    for along in sectors:
        for line in range(64):
            for half in (0, 32):
                at = [line, half] if along == "W" else [half, line]
                body: Json = {"tensor": SQUARE, "warp": {"along": along, "at": at}}
                answer = post(client, "/cost", body)
                assert answer["ideal_sectors"] == 4
                sectors[along] += answer["sectors"]
    assert sectors == {"W": 512, "H": 4096}


def test_a_tile_in_shared_memory_and_its_fix(client: httpx2.Client) -> None:
    column: Json = {"along": "H", "space": "shared", "suggest": True}
    answer = post(client, "/cost", {"tensor": TILE, "warp": column})
    assert (answer["passes"], answer["ideal_passes"], answer["conflicts"]) == (32, 1, 31)
    counts = ("warps", "passes", "conflicts")
    of_all = [answer["all"][name] for name in counts]
    assert of_all == [32, 1024, 992]
    assert [answer["suggestion"]["accesses"][0][name] for name in counts] == of_all
    assert answer["lanes"][31] == {"coordinate": [31, 0], "address": 992, "byte": 3968}
    padding, [swizzle] = answer["suggestion"]["padding"], answer["suggestion"]["swizzles"]
    assert (padding["strides"], swizzle["swizzle"]) == ([33, 1], [5, 0, 5])
    for fix in (padding, swizzle):
        fixed: Json = {"shape": [32, 32], "layout": fix["layout"], "dims": "HW"}
        found = post(client, "/cost", {"tensor": fixed, "warp": column})["all"]
        assert [fix["accesses"][0][name] for name in counts] == [found[name] for name in counts]
        passes = found["passes"]
        row = post(client, "/cost", {"tensor": fixed, "warp": {**column, "along": "W"}})["all"]
        assert passes + row["passes"] == 64


def test_the_orders_of_a_layout(client: httpx2.Client) -> None:
    answer = post(client, "/cost", {"tensor": NCHW, "walk": {"orders": True}})
    orders = answer["orders"]
    assert [each["order"] for each in orders if each["best"]] == ["NCHW"]
    assert len(orders) == 6  # N has one index


def test_a_terabyte_takes_no_time(client: httpx2.Client) -> None:
    def count(size: int) -> None:
        tensor: Json = {"shape": [size] * 4, "layout": "NCHW4"}
        walk: Json = {"order": "NHWC", "orders": True}
        answer = post(client, "/cost", {"tensor": tensor, "walk": walk})
        assert answer["accesses"] == size**4
        assert answer["stopped"] is None

    assert_costs_like(partial(count, 10), partial(count, 1000))


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({}, "body"),
        ({"walk": {}, "warp": {}}, "body"),
        ({"walk": {"order": "NCHX"}}, "walk.order"),
        ({"walk": {"line_bytes": 0}}, "walk.line_bytes"),
        ({"walk": {"page_bytes": 2**22}}, "walk.page_bytes"),
        ({"walk": {"cache": {"bytes": 1000, "ways": 4}}}, "walk.cache.bytes"),
        ({"walk": {"cache": {"bytes": 2**40, "ways": 4}}}, "walk.cache.bytes"),
        ({"walk": {"cache": {"bytes": 1024}}}, "walk.cache.ways"),
        ({"walk": {"tlb": {"entries": 6, "ways": 4}}}, "walk.tlb.entries"),
        ({"walk": {"orders": 1}}, "walk.orders"),
        ({"warp": {"along": "X"}}, "warp.along"),
        ({"warp": {"along": ["W", "WH"]}}, "warp.along[1]"),
        ({"warp": {"along": ["W", "W"]}}, "warp.along[1]"),
        ({"warp": {"at": [0, 0, 0]}}, "warp.at"),
        ({"warp": {"at": [0, 0, 0, 56]}}, "warp.at[3]"),
        ({"warp": {"lanes": 0}}, "warp.lanes"),
        ({"warp": {"vector": 8}}, "warp.vector"),
        ({"warp": {"space": "local"}}, "warp.space"),
        ({"warp": {"suggest": True}}, "warp.suggest"),
        ({"warp": {"threads": 32}}, "warp.?"),
    ],
)
def test_what_is_refused(client: httpx2.Client, asked: Json, field: str) -> None:
    refused(client, "/cost", {"tensor": NCHW, **asked}, field)


def test_five_loops_are_too_many_orders(client: httpx2.Client) -> None:
    tensor: Json = {"shape": [2] * 5, "layout": "NCDHW"}
    refused(client, "/cost", {"tensor": tensor, "walk": {"orders": True}}, "walk.orders")
