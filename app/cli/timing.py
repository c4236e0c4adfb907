"""Compares the times of several functions.

The speed of a machine changes over seconds: clock rate, caches, other processes. So all functions
run in the same rounds. Every round calls each function, and the next round begins with another
one. A ratio is computed within each round; the result is the median over the rounds.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence

_LEAST_S = 0.002  # of one sample: a shorter one would mostly measure the clock and the call
_MOST_CALLS = 1000


def samples_s(
    contenders: Mapping[str, Callable[[], object]], rounds: int
) -> dict[str, list[float]]:
    """Seconds per call of each function in ``contenders``, for each of ``rounds`` rounds.

    Each function is called twice before. The first call may compile and use new pages. The second
    call determines how many calls make a sample.
    """
    for call in contenders.values():
        call()
    calls = {
        name: min(math.ceil(_LEAST_S / _seconds(call, 1)), _MOST_CALLS)
        for name, call in contenders.items()
    }
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    names = list(contenders)
    for i in range(rounds):
        first = i % len(names)
        for name in names[first:] + names[:first]:
            taken[name].append(_seconds(contenders[name], calls[name]))
    return taken


def ratio(of_s: Sequence[float], to_s: Sequence[float]) -> float:
    """Speed of the samples ``of_s`` relative to ``to_s``: the median of to/of over the rounds."""
    return statistics.median(to / of for of, to in zip(of_s, to_s, strict=True))


def _seconds(call: Callable[[], object], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        call()
    # With a coarse clock the difference may be 0.
    return max(time.perf_counter() - start, 1e-9) / calls
