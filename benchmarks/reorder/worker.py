"""The process of one thread count: times the cases and prints one JSON line for each."""

import argparse
import json
import sys
import time
from dataclasses import asdict
from typing import Any

from benchmarks.reorder.cases import ITEM_BYTES, Case, cases
from benchmarks.reorder.peers import contenders, limits
from benchmarks.reorder.timing import SLOW_S, Timing, interleaved
from benchmarks.reorder.work import Contender, Run, Work, work_of

_ROUNDS, _QUICK_ROUNDS = 7, 3
WRONG = "wrong result"


def main() -> int:
    """Print the contenders, then each row when it is measured; return 0."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--backend", action="append", required=True)
    asked_for = parser.parse_args()
    threads = asked_for.threads
    had, missing = contenders(threads, asked_for.backend)
    _say({"versions": {name: c.version for name, c in had.items()}, "missing": missing})
    rounds = _QUICK_ROUNDS if asked_for.quick else _ROUNDS
    for case in cases(quick=asked_for.quick, only=asked_for.only):
        _say(measured(case, had, rounds, threads))
    return 0


def measured(case: Case, had: dict[str, Contender], rounds: int, threads: int) -> dict[str, Any]:
    """One row. ``ratios``: bytes moved per second, divided by those of the limit."""
    work = work_of(case)
    runs, first_s, refused = _checked(work, had)
    once = {
        name: Timing(first_s[name], 1)
        for name in runs
        if first_s[name] > SLOW_S and not had[name].compiles
    }
    copies, copied_bytes = limits(work, threads)
    for copy in copies.values():
        copy()
    quick = {name: run for name, run in runs.items() if name not in once}
    timings = once | interleaved(copies | quick, rounds, threads=threads)
    limit = copied_bytes / min(timings[name].median_s for name in copies)
    moved_bytes = (work.source.elements + work.target.elements) * ITEM_BYTES[case.dtype]
    return {
        "case": asdict(case),
        "threads": threads,
        "limit_bytes_per_s": limit,
        "seconds": {name: timing.median_s for name, timing in timings.items()},
        "rounds": {name: timing.rounds for name, timing in timings.items()},
        "ratios": {name: moved_bytes / timings[name].median_s / limit for name in runs},
        "refused": refused,
    }


def _checked(
    work: Work, had: dict[str, Contender]
) -> tuple[dict[str, Run], dict[str, float], dict[str, str]]:
    """The runs with a right result, the seconds of their first call, and why others failed."""
    runs: dict[str, Run] = {}
    first_s: dict[str, float] = {}
    refused: dict[str, str] = {}
    for name, contender in had.items():
        work.soil()
        try:
            run = contender.run_of(work)
            if run is None:
                continue
            began = time.perf_counter()
            answer = run()
            first_s[name] = time.perf_counter() - began
        except Exception as why:  # the failure of one library must not end the run of the others
            refused[name] = f"{type(why).__name__}: {why}".splitlines()[0]
            continue
        if work.is_right(answer):
            runs[name] = run
        else:
            refused[name] = WRONG
    return runs, first_s, refused


def _say(what: dict[str, Any]) -> None:
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    sys.exit(main())
