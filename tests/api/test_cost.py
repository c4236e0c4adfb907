"""POST /cost: known figures, defaults, and refusals that name the field."""

import httpx2
import pytest

from tests.api.refusals.problems import refused
from tests.api.twin import Json, post

FIVE: Json = {"shape": [2] * 5, "layout": "NCDHW"}
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
    answer = post(client, "/cost", {"tensor": NCHW, "walk": {"orders": True}})
    assert [each["order"] for each in answer["orders"] if each["best"]] == ["NCHW"]
    assert len(answer["orders"]) == 6  # N has one index
    cache = {"bytes": 32768, "ways": 8}
    cached = post(client, "/cost", {"tensor": NCHW, "walk": {"order": "NHWC", "cache": cache}})
    assert 12544 <= cached["lines"]["fetched"] <= 200704


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


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"walk": {"order": "NCHX"}}, "walk.order"),
        ({"walk": {"line_bytes": 0}}, "walk.line_bytes"),
        ({"walk": {"page_bytes": 2**22}}, "walk.page_bytes"),
        ({"walk": {"cache": {"bytes": 2**40, "ways": 4}}}, "walk.cache.bytes"),
        ({"walk": {"cache": {"bytes": 1024}}}, "walk.cache.ways"),
        ({"walk": {"orders": 1}}, "walk.orders"),
        ({"tensor": FIVE, "walk": {"orders": True}}, "walk.orders"),
        ({"warp": {"along": "X"}}, "warp.along"),
        ({"warp": {"along": ["W", "WH"]}}, "warp.along[1]"),
        ({"warp": {"at": [0, 0, 0]}}, "warp.at"),
        ({"warp": {"lanes": 0}}, "warp.lanes"),
        ({"warp": {"vector": 8}}, "warp.vector"),
        ({"warp": {"space": "local"}}, "warp.space"),
        ({"warp": {"suggest": True}}, "warp.suggest"),
        ({"warp": {"threads": 32}}, "warp.?"),
    ],
)
def test_what_is_refused(client: httpx2.Client, asked: Json, field: str) -> None:
    refused(client, "/cost", {"tensor": NCHW, **asked}, field)
