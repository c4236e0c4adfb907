"""Interleaved timing, on a clock of our own."""

import itertools
import time
from collections.abc import Callable

import pytest

from app.cli.benchmark import ratio, samples_s


class Clock:
    """Stands still but for what the contenders take."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.calls = ""

    def taking(self, name: str, *seconds: float) -> Callable[[], None]:
        """A contender that takes the given seconds in turn, over and over."""
        turns = itertools.cycle(seconds)

        def contender() -> None:
            self.calls += name
            self.now_s += next(turns)

        return contender


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """In the place of time.perf_counter."""
    still = Clock()
    monkeypatch.setattr(time, "perf_counter", lambda: still.now_s)
    return still


def test_rounds_interleave_and_begin_in_turn(clock: Clock) -> None:
    contenders = {name: clock.taking(name, 1.0) for name in "abc"}
    taken = samples_s(contenders, 4)
    assert clock.calls == "abc" + "abc" + "abc" + "bca" + "cab" + "abc"
    assert taken == {name: [1.0] * 4 for name in "abc"}


def test_short_calls_are_repeated_and_told_per_call(clock: Clock) -> None:
    taken = samples_s({"a": clock.taking("a", 2**-11), "b": clock.taking("b", 1.0)}, 3)
    assert taken == {"a": [2**-11] * 3, "b": [1.0] * 3}
    # Two milliseconds are five calls of half a millisecond.
    assert clock.calls.count("a") == 2 + 3 * 5
    assert clock.calls.count("b") == 2 + 3


def test_a_clock_may_stand_still_and_a_ratio_is_the_median_of_the_rounds(clock: Clock) -> None:
    assert samples_s({"a": clock.taking("a", 0.0)}, 1)["a"][0] > 0
    assert len(clock.calls) < 2000
    # The machine was twice as slow in the second round and disturbed in the third.
    assert ratio([1.0, 2.0, 9.0], [4.0, 8.0, 4.0]) == 4.0
