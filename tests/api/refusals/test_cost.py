"""A long hostile text costs what a long plain one does."""

from functools import partial

import httpx2
import pytest

from tests.api.refusals.test_bad_input import HW, LAYOUTS, NCHW, TENSORS, VAST
from tests.api.refusals.test_bad_json import UNREAD, shaped
from tests.api.refusals.test_bad_slice import INDEXES, TENSOR
from tests.api.twin import API, Json
from tests.cost import assert_costs_like

LONG = 1000
JSON = {"content-type": "application/json"}
LONG_LAYOUTS = {key: text for key, text in LAYOUTS.items() if len(text) >= LONG}
LONG_INDEXES = {key: text for key, text in INDEXES.items() if len(text) >= LONG}
LONG_BODIES = {row.id: row.body for row in UNREAD if len(row.body) >= LONG}
HUGE_RANKS = {row.id: row.body for row in TENSORS if row.id.startswith("huge-rank")}


def refuse(client: httpx2.Client, path: str, body: Json) -> None:
    assert client.post(f"{API}{path}", json=body).status_code == 422


def refuse_body(client: httpx2.Client, body: bytes) -> None:
    response = client.post(f"{API}/describe", content=body, headers=JSON)
    assert response.status_code in (400, 422)


def plain(client: httpx2.Client, length: int) -> partial[None]:
    """A call with a plain text of that many characters, which names no type."""
    asked: Json = {**HW, "dtype": "x" * length}
    return partial(refuse, client, "/describe", asked)


@pytest.mark.parametrize("layout", LONG_LAYOUTS.values(), ids=LONG_LAYOUTS.keys())
def test_long_layouts(client: httpx2.Client, layout: str) -> None:
    asked: Json = {"shape": [1, 8, 2, 2], "layout": layout}
    assert_costs_like(plain(client, len(layout)), partial(refuse, client, "/describe", asked))
    asked = {"source": NCHW, "target": layout}
    assert_costs_like(plain(client, len(layout)), partial(refuse, client, "/reorder", asked))


@pytest.mark.parametrize("index", LONG_INDEXES.values(), ids=LONG_INDEXES.keys())
def test_long_indexes(client: httpx2.Client, index: str) -> None:
    asked: Json = {"tensor": TENSOR, "index": index}
    assert_costs_like(plain(client, len(index)), partial(refuse, client, "/slice", asked))


LONG_BODIES["a hundred thousand digits"] = shaped("9" * 100_000)


@pytest.mark.parametrize("body", LONG_BODIES.values(), ids=LONG_BODIES.keys())
def test_long_bodies(client: httpx2.Client, body: bytes) -> None:
    assert_costs_like(plain(client, len(body)), partial(refuse_body, client, body))


@pytest.mark.parametrize("body", HUGE_RANKS.values(), ids=HUGE_RANKS.keys())
def test_huge_ranks(client: httpx2.Client, body: Json) -> None:
    length = len(str(body))
    assert_costs_like(plain(client, length), partial(refuse, client, "/describe", body))


@pytest.mark.parametrize(("source", "target"), VAST, ids=["both", "strides", "offset", "block"])
def test_vast_targets(client: httpx2.Client, source: Json, target: str | Json) -> None:
    asked: Json = {"source": source, "target": target}
    assert_costs_like(plain(client, 100), partial(refuse, client, "/reorder", asked))


def test_many_shared_addresses(client: httpx2.Client) -> None:
    offsets = [0] * 2**16
    shared: Json = {"shape": [2] * 20 + [64], "layout": {"strides": [0] * 21}}

    def ask_plainly() -> None:
        body = {"tensor": HW, "offsets": offsets}
        assert client.post(f"{API}/coordinates", json=body).status_code == 200

    body: Json = {"tensor": shared, "offsets": offsets}
    assert_costs_like(ask_plainly, partial(refuse, client, "/coordinates", body))
