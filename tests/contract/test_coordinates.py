"""Owners of many addresses: one budget for a call, whatever its batches."""

from unittest import mock

import pytest

from app.contract import answers
from app.contract.requests import CoordinatesRequest, TensorJson
from app.contract.shapes import OwnerJson
from app.engine import Layout, owners_of
from app.engine.inverse import search


def owners(tensor: TensorJson, asked: list[int]) -> list[OwnerJson]:
    request = CoordinatesRequest(tensor=tensor, offsets=asked)
    return [*answers.answer_coordinates(request)["owners"]]


def test_all_batches_of_a_call_share_one_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    layout = Layout.strided((1000, 1000, 3), (1001, 999, 7))
    tensor = TensorJson(shape=[*layout.shape], layout={"strides": [1001, 999, 7]})
    asked = list(range(500_000, 500_100))
    alone = [owners(tensor, [a])[0] for a in asked]
    assert {owner["kind"] for owner in alone} <= {"element", "shared", "gap"}
    budget = search.Budget()
    owners_of(layout, asked[:10], budget=budget)
    monkeypatch.setattr(search, "BUDGET", 3 * (search.BUDGET - budget.left))
    monkeypatch.setattr(answers, "_COORDINATES_AT_ONCE", 10 * 64 * layout.rank)
    together = owners(tensor, [*asked, *asked])
    assert together[:100] == together[100:]
    known = [owner["kind"] != "undetermined" for owner in together[:100]]
    assert 0 < sum(known) < 100
    assert known == sorted(known, reverse=True)
    assert all(
        one == other for one, other, k in zip(together[:100], alone, known, strict=True) if k
    )


_solve = search.Search.solve


def test_repeated_addresses_are_searched_once() -> None:
    strides = [2**i for i in range(28)] + [2**i for i in range(11)]
    tensor = TensorJson(shape=[2] * 39, layout={"strides": strides})
    asked = [10**7, 5, 10**7, 10**7 + 1] * (1 << 8)
    with mock.patch.object(search.Search, "solve", autospec=True) as solve:
        solve.side_effect = _solve
        found = owners(tensor, asked)
    assert [len(call.args[1]) for call in solve.call_args_list] == [3]
    assert [owner["offset"] for owner in found] == asked
    assert found[:4] == found[-4:]
