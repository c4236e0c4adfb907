"""One budget: what is taken comes back, once, whoever gives it back."""

import pytest

from app.api.problems import BusyError
from app.api.work.resources import HeldBytes


def test_what_others_hold_cannot_be_taken() -> None:
    budget = HeldBytes(100)
    first, second = budget.share(), budget.share()
    first.take(60)
    with pytest.raises(BusyError):
        second.take(50)
    second.take(40)
    assert (budget.held_bytes, budget.refused) == (100, 1)
    first.release()
    second.take(50)
    second.give_back(80)
    assert budget.held_bytes == 10
    second.release()
    second.release()
    assert budget.held_bytes == 0
