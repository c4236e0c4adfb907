"""How long things take beside each other.

Clocks, caches and neighbours on a machine drift over seconds, so what is compared runs in the
same rounds: every round calls each contender, the next round begins with another one. A ratio is
taken inside each round, and the median over the rounds is what is told.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence

_LEAST_S = 0.002  # of one sample: shorter ones would time the clock and the call
_MOST_CALLS = 1000


def samples_s(
    contenders: Mapping[str, Callable[[], object]], rounds: int
) -> dict[str, list[float]]:
    """Seconds of one call of each contender, in each of ``rounds`` rounds.

    Two calls of each go before: the first may compile and touch new pages, the second says how
    many calls make a sample.
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
    """How many times as fast as ``to_s`` the samples ``of_s`` are: the median over the rounds."""
    return statistics.median(to / of for of, to in zip(of_s, to_s, strict=True))


def _seconds(call: Callable[[], object], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        call()
    # A clock of coarse steps may not have moved.
    return max(time.perf_counter() - start, 1e-9) / calls
