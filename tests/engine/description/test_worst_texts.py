"""What the longest and the least regular texts cost to describe.

On a quiet machine each takes under 20 ms, where the first three took seconds; the test allows for a
busy one.
"""

import pytest

from app.engine.description.tensor import parse_tensor
from tests.cost import assert_costs_like
from tests.engine.description.worst_texts import TEXTS


@pytest.mark.parametrize("name", TEXTS)
def test_it_costs_little(name: str) -> None:
    shape, text = TEXTS[name]
    count = iter(range(1, 1000))

    def plainly() -> None:
        for _ in range(10):
            parse_tensor((next(count), 64, 3, 3), "NCHW4").describe()

    def call() -> None:
        parse_tensor(shape, text, elements=(1 << 60) + next(count)).describe()

    assert_costs_like(plainly, call, times=10)
