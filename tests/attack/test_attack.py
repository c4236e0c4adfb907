"""The short form of `make attack`: small deadlines, small bodies, the same rules."""

from collections.abc import Iterator

import pytest

from tests.attack.__main__ import losses
from tests.attack.attacks import ATTACKS, SHORT, Attack, settings
from tests.attack.program import Program, Watch, started, watching

# `make attack` holds the service to 0.1 s. Here, beside other tests, the limit tells calls with
# processes of their own from one that keeps /healthz waiting for seconds. TURNS: what a busy
# machine adds, for the service waits for its turn more often than the process that measures it.
DELAY_S = 1.0
TURNS = 10


@pytest.fixture(scope="module")
def program() -> Iterator[Program]:
    with started(**settings(SHORT)) as running:
        yield running


@pytest.fixture(scope="module")
def seen(program: Program) -> Iterator[Watch]:
    """What all attacks together showed of /healthz: one of them has too few calls for a 99th."""
    found = Watch(program)
    yield found
    assert found.delay_s(0.99) < DELAY_S + TURNS * found.pause_s(0.99)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_an_attack_takes_nothing(program: Program, seen: Watch, attack: Attack) -> None:
    with watching(program) as watch:
        statuses = attack(program, SHORT)
    seen.delays_s += watch.delays_s
    seen.pauses_s += watch.pauses_s
    assert losses(watch, statuses, attack) == []
