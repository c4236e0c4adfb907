"""One budget: what is taken comes back, once, whoever gives it back."""

import pytest

from app.api.problems import BusyError
from app.api.work.resources import MemoryBudget, Share


def test_what_others_hold_cannot_be_taken() -> None:
    budget = MemoryBudget(100)
    first, second = Share(budget), Share(budget)
    first.hold(60)
    with pytest.raises(BusyError):
        second.hold(50)
    second.hold(40)
    assert (budget.held_bytes, budget.refused) == (100, 1)
    first.release()
    second.resize(90)
    second.resize(10)
    assert budget.held_bytes == 10
    second.release()
    second.release()
    assert budget.held_bytes == 0
