"""Time calls on small tensors: the engine's, its kernel alone, and two other ways to copy.

    python benchmarks/calls/run.py [--rounds 9]

Needs the environment of `make bench` for PyTorch. Each call reorders float32 of 4 KB or 64 KB into
a given target, on one thread, with compiled kernels. The others copy between strided views:
`np.copyto`, and PyTorch's `contiguous()`, which allocates its result. All take turns in each round;
a figure is the median of the rounds' means, in microseconds of the thread's processor time, so that
other programs count little. Exit status 1 if a call takes more than 2 us beside its kernel, or
longer than both others.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from app.engine import parse_layout, reorder  # noqa: E402  # so that it runs from any folder
from app.engine.reorder import execute  # noqa: E402  # as above
from benchmarks.reorder.cases import BLOCKED_PAIRS, PLAIN_PAIRS, Case  # noqa: E402  # as above
from benchmarks.reorder.work import (  # noqa: E402  # as above
    Unavailable,
    Work,
    imported,
    pairs_of_views,
    strided_copies,
    work_of,
)

SHAPES = {"4 KB": (1, 16, 8, 8), "64 KB": (1, 64, 16, 16)}
MOST_BESIDE_US = 2.0
CALLS = 200
Call = Callable[[], object]


def calls_of(work: Work) -> dict[str, Call]:
    """The contenders for one case, each with its result left in the work's target or its own."""
    names = work.case.source, work.case.target
    source, target = (parse_layout(name, work.case.shape) for name in names)
    buffer, out = work.buffer, work.out

    def call() -> None:
        reorder(buffer, source, target, out=out, threads=1, backend="numba")

    call()
    if not work.is_right(None):
        raise ValueError(f"{work.case.label}: wrong result")
    program = execute._program(source, target, buffer.dtype, None)
    ready = next(iter(program._ready.values()))
    memory = ready.memory_of(buffer, out)
    (piece,) = ready.pieces

    def kernel() -> None:
        for go in piece.runners:
            go(*memory)

    copied, zeroed = pairs_of_views(work)

    def naive() -> None:
        for view in zeroed:
            view[...] = 0
        for there, here in copied:
            np.copyto(there, here)

    found: dict[str, Call] = {"call": call, "kernel": kernel, "np.copyto": naive}
    try:
        torch = imported("torch")
    except Unavailable:
        return found
    torch.set_num_threads(1)
    tensors = torch.from_numpy(buffer), torch.from_numpy(out)
    found["torch"] = strided_copies(torch, *tensors, work)
    if len(copied) == 1 and not zeroed:
        there, here = copied[0]
        order = sorted(range(there.ndim), key=lambda k: -there.strides[k])
        shape = [here.shape[k] for k in order]
        strides = [here.strides[k] // here.itemsize for k in order]
        found["torch"] = torch.as_strided(tensors[0], shape, strides).contiguous
    return found


def medians(calls: dict[str, Call], rounds: int) -> dict[str, float]:
    """Median microseconds of each call, taken in turns."""
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds + 1):
        for name, call in calls.items():
            began = time.thread_time()
            for _ in range(CALLS):
                call()
            taken[name].append((time.thread_time() - began) / CALLS * 1e6)
    return {name: statistics.median(times[1:]) for name, times in taken.items()}


def main() -> int:
    """Print the table; return 1 if a requirement does not hold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    asked = parser.parse_args()
    missed = 0
    print(f"{'us a call':<28}{'call':>8}{'kernel':>8}{'beside':>8}{'copyto':>8}{'torch':>8}")
    for size, shape in SHAPES.items():
        for source, target in PLAIN_PAIRS + BLOCKED_PAIRS:
            case = Case(source, target, "float32", shape, "1 MB")
            us = medians(calls_of(work_of(case)), asked.rounds)
            beside = us["call"] - us["kernel"]
            others = [us[name] for name in ("np.copyto", "torch") if name in us]
            holds = beside <= MOST_BESIDE_US and us["call"] <= max(others)
            missed += not holds
            figures = (us["call"], us["kernel"], beside, *others)
            cells = "".join(f"{figure:8.1f}" for figure in figures)
            print(f"{source + '->' + target + ' ' + size:<28}{cells}{'' if holds else '  misses'}")
    print("all hold" if not missed else f"{missed} do not hold")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
