"""Interleaved timing: each round times every contender and begins with a different one."""

import gc
import math
import statistics
import time
from dataclasses import dataclass

from benchmarks.reorder.work import Run

SLOW_S = 0.5  # a longer call is timed once
_LEAST_S = 1e-3  # shorter calls are repeated until a timing is about as long as this
_SETTLE_S = 8e-3  # libgomp of torch and oneDNN spins for 4 ms after a call


@dataclass(frozen=True, slots=True)
class Timing:
    """The median seconds of one call, and the number of rounds."""

    median_s: float
    rounds: int


def interleaved(runs: dict[str, Run], rounds: int, *, threads: int) -> dict[str, Timing]:
    """Time the runs; each must have been called once before."""
    once = {name: seconds(run) for name, run in runs.items()}
    calls = {name: math.ceil(_LEAST_S / s) for name, s in once.items() if s <= SLOW_S}
    # The first calls of a run after another one find cold caches and sleeping threads.
    for name, guess in calls.items():
        calls[name] = max(guess, math.ceil(_LEAST_S / seconds(runs[name], guess)))
    names = list(calls)
    found: dict[str, list[float]] = {name: [] for name in names}
    gc.collect()
    gc.disable()
    try:
        for r in range(rounds):
            first = r % len(names)
            for name in names[first:] + names[:first]:
                if threads > 1:
                    time.sleep(_SETTLE_S)
                found[name].append(seconds(runs[name], calls[name]))
    finally:
        gc.enable()
    timed = {name: Timing(statistics.median(all_s), rounds) for name, all_s in found.items()}
    return timed | {name: Timing(s, 1) for name, s in once.items() if name not in timed}


def seconds(run: Run, calls: int = 1) -> float:
    """Seconds of one call: the mean of ``calls`` in a row."""
    began = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - began) / calls
