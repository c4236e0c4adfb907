"""Owners of many addresses: one budget for a call, whatever its batches."""

from __future__ import annotations

import pytest

from app.contract import answers
from app.contract.requests import CoordinatesRequest, Tensor
from app.engine import Layout, owners_of
from app.engine.address import search


def owners(tensor: Tensor, asked: list[int]) -> list[answers.Answer]:
    found: list[answers.Answer] = answers.answer_coordinates(
        CoordinatesRequest(tensor=tensor, offsets=asked)
    )["owners"]
    return found


def test_all_batches_of_a_call_share_one_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    layout = Layout.strided((1000, 1000, 3), (1001, 999, 7))
    tensor = Tensor(shape=[*layout.shape], layout={"strides": [1001, 999, 7]})
    asked = list(range(500_000, 500_100))
    alone = [owners(tensor, [a])[0] for a in asked]
    assert {owner["kind"] for owner in alone} <= {"element", "shared", "gap"}
    budget = search.Budget(10**6)
    owners_of(layout, asked[:10], budget=budget)
    monkeypatch.setattr(search, "BUDGET_LEAST", 3 * (10**6 - budget.left))
    monkeypatch.setattr(search, "BUDGET_SHARE", 0)
    monkeypatch.setattr(answers, "_COORDINATES_AT_ONCE", 10 * 64 * layout.rank)
    together = owners(tensor, [*asked, *asked])
    assert together[:100] == together[100:]
    known = [owner["kind"] != "undetermined" for owner in together[:100]]
    assert 0 < sum(known) < 100
    assert known == sorted(known, reverse=True)
    assert all(
        one == other for one, other, k in zip(together[:100], alone, known, strict=True) if k
    )
