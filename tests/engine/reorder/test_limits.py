"""What a limit sends another way is the same reorder: limits cost time, never bytes."""

from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

import numpy as np
import pytest

from app.engine import parse_layout, plan, reorder
from app.engine.reorder import execute, nibbles, program, ranges
from app.engine.reorder.numpy import gather
from tests.engine.reorder.test_backends import noise, slowly
from tests.engine.strategies import Seeded, packed
from tests.packing import pack_nibbles, unpack_nibbles

PLANS = import_module("app.engine.reorder.plan")  # the package has a function of this name
LIMITS: list[list[tuple[ModuleType, str, int]]] = [
    [(PLANS, "_MAX_BOXES", 1)],
    [(PLANS, "_MAX_LOOPS", 1)],
    [(ranges, "_MAX_PARTS", 1)],
    [(program, "_REMEMBERED_BYTES", 0)],
    [(PLANS, "_MAX_BOXES", 0), (gather, "_REPORTED_BITS", 8)],
    [(nibbles, "_TILE", 4), (nibbles, "_RUN", 2)],
]


@pytest.fixture
def no_plans() -> Iterator[None]:
    """Plans and programs made under other limits are forgotten, before and after."""
    caches = PLANS._planned, execute._program
    for each in caches:
        each.cache_clear()
    yield
    for each in caches:
        each.cache_clear()


@pytest.mark.usefixtures("no_plans")
@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("limits", LIMITS, ids=lambda limits: limits[-1][1])
def test_a_reorder_does_not_depend_on_its_limits(
    monkeypatch: pytest.MonkeyPatch, limits: list[tuple[ModuleType, str, int]], bits: int
) -> None:
    for limit in limits:
        monkeypatch.setattr(*limit)
    for seed in range(60):
        choice = Seeded(seed)
        shape = tuple(choice.of((1, 2, 3, 5, 8, 17)) for _ in range(choice.of((1, 2, 3))))
        source, target = (packed(choice, shape) for _ in range(2))
        memory = noise(source.buffer_elements, 0, seed) % 16
        expected = slowly(memory, source, target, np.zeros(target.buffer_elements, np.uint8), 1)
        reported: list[int] = []
        if bits == 4:
            given = pack_nibbles(memory), source, target
            made = reorder(*given, dtype="int4", backend="numpy", progress=reported.append)
            found = unpack_nibbles(made)[: len(expected)]
        else:
            found = reorder(memory, source, target, backend="numpy", progress=reported.append)
        assert np.array_equal(found, expected), (seed, str(source), str(target))
        # Half a byte may be reported twice, as a whole one each time.
        assert 0 <= sum(reported) - -(-len(expected) * bits // 8) <= (bits == 4), (seed, target)


def test_a_plan_prints_its_padding_as_zeros_without_a_source() -> None:
    planned = plan(parse_layout("(3, 1)", (5, 3)), parse_layout("onednn:Ab4a2a", (5, 3)))
    lines = str(planned).splitlines()
    assert lines[-3:] == ["  zeros to 6", "    3 x (target +8)", "    2 x (target +1)"]
    assert "    1 x (source +3, target +1), then 1 zeros" in lines
