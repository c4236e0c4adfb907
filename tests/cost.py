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

    A thread of another test may still be at work, and the machine may be slower for a while: they
    take turns, and the best turn counts.
    """
    turns: list[tuple[float, float]] = []
    for _ in range(ROUNDS):
        call_s = processor_s(call)
        if call_s < SPARE_S:
            return
        allowed_s = times * processor_s(plain) + SPARE_S
        turns.append((call_s, allowed_s))
        if turns[-1][0] < allowed_s:
            return
    raise AssertionError(f"seconds of calls, and those allowed: {turns}")
