"""What calls cost in processor time, which a busy machine does not lengthen as it does the wall's.

A test compares a call with a plain one of the same length in the same test, and generously: what it
looks for is work that grows with the square of a text or with the size of a tensor.
"""

import time
from collections.abc import Callable

ROUNDS = 3
SPARE_S = 0.1


def processor_s(call: Callable[[], object]) -> float:
    """Seconds of processor time that a call costs this process, all its threads together."""
    began = time.process_time()
    call()
    return time.process_time() - began


def assert_costs_like(
    plain: Callable[[], object], call: Callable[[], object], *, times: float = 20
) -> None:
    """Assert that ``call`` costs at most ``times`` what ``plain`` does, and a tenth of a second.

    A thread of another test may still be at work, so the best of three calls counts.
    """
    allowed_s = times * min(processor_s(plain) for _ in range(ROUNDS)) + SPARE_S
    spent_s: list[float] = []
    while len(spent_s) < ROUNDS and min(spent_s, default=allowed_s) >= allowed_s:
        spent_s.append(processor_s(call))
    assert min(spent_s) < allowed_s
