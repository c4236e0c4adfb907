"""The short form of `make attack`: small deadlines, small bodies, the same rules."""

from collections.abc import Iterator

import pytest

from tests.attack.__main__ import losses
from tests.attack.attacks import ATTACKS, SHORT, Attack, settings
from tests.attack.program import Program, started, watching


@pytest.fixture(scope="module")
def program() -> Iterator[Program]:
    with started(**settings(SHORT)) as running:
        yield running


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_an_attack_takes_nothing(program: Program, attack: Attack) -> None:
    with watching(program) as watch:
        statuses = attack(program, SHORT)
    assert losses(watch, statuses) == []
