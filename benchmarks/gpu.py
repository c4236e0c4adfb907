"""Time reorders on a GPU, a device-to-device copy and PyTorch; print one table.

Run from the root with `python -m benchmarks.gpu`, with CuPy and NumPy installed. PyTorch is
measured too if it has CUDA. Source and target are on the device, and the target is reused. Every
result is checked bit for bit first. A figure is a ratio: bytes read and written per second,
divided by those of a copy of as many contiguous bytes. Times are medians of CUDA events around
calls that are queued one after the other; where a kernel takes less than queueing it, as at 1 MB,
they are the cost of a call. "call µs" is what queueing one of ours takes the CPU. Exit status 1 if
a result was wrong or the CPU had to do a reorder, 2 without a GPU.
"""

import argparse
import importlib
import math
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from app.engine import parse_layout, reorder
from app.engine.model.arrays import gpu_namespace
from benchmarks.reorder.cases import ITEM_BYTES, Case, cases
from benchmarks.reorder.work import Work, strided_copies, work_of

Run = Callable[[], object]
_ROUNDS = 11
_LEAST_MS = 2.0  # of queued calls between two events
_MOST_CALLS = 200


def main() -> int:
    """Measure the rows and return the exit status."""
    parser = argparse.ArgumentParser(prog="benchmarks.gpu", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only C = 64 and 30")
    parser.add_argument("--only", default="", metavar="SUBSTRING", help="of a row, as printed")
    asked_for = parser.parse_args()
    cupy = gpu_namespace()
    if cupy is None:
        print("No GPU was found, or CuPy is not installed: nothing was measured.")
        return 2
    warnings.simplefilter("error", RuntimeWarning)  # raised if the CPU would do the reorder
    torch, why = _torch()
    card = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)["name"].decode()
    print(f"{card}, CuPy {cupy.__version__}, NumPy {np.__version__}")
    print(f"PyTorch {torch.__version__}" if torch else f"PyTorch: not available: {why}")
    print(f"{'':<48} {'copy GB/s':>9} {'ours':>6} {'torch':>6} {'call µs':>8}")
    rows: list[tuple[Case, dict[str, float]]] = []
    wrong: list[str] = []
    for case in cases(quick=asked_for.quick, only=asked_for.only):
        if case.placed != "own":  # where arrays of the host begin, which is nothing to the device
            continue
        limit, call_us, ratios, failures = _row(cupy, torch, work_of(case))
        wrong += [f"{case.label}: {failure}" for failure in failures]
        cells = " ".join(f"{ratios[name]:6.2f}" if name in ratios else "     -" for name in _NAMES)
        print(f"{case.label:<48} {limit / 1e9:9.0f} {cells} {call_us:8.1f}", flush=True)
        rows.append((case, ratios))
    for text in _summary(rows):
        print(text)
    for failure in wrong:
        print(f"failed: {failure}")
    return 1 if wrong else 0


_NAMES = ("ours", "torch")


def _torch() -> tuple[Any, str]:
    """PyTorch if it has CUDA, else None and the reason."""
    try:
        torch = importlib.import_module("torch")
    except ImportError as error:
        return None, str(error)
    return (torch, "") if torch.cuda.is_available() else (None, "it has no CUDA here")


def _row(cupy: Any, torch: Any, work: Work) -> tuple[float, float, dict[str, float], list[str]]:
    """Bytes per second of the copy, microseconds to queue a call, ratios to it, and failures."""
    buffer, out = cupy.asarray(work.buffer), cupy.empty(len(work.out), work.out.dtype)
    runs: dict[str, Run] = {"ours": _ours(work.case, buffer, out)}
    if torch:
        runs["torch"] = _contiguous(torch, work, buffer, out)
    failures = []
    for name, run in list(runs.items()):
        out.view(np.uint8).fill(0xA5)
        try:
            run()
            right = work.is_right(out.get())
        except Exception as error:  # the failure of one contender must not end the table
            failures.append(f"{name}: {type(error).__name__}: {error}".splitlines()[0])
            del runs[name]
            continue
        if not right:
            failures.append(f"{name}: wrong result")
            del runs[name]
    size = min(buffer.nbytes, out.nbytes)
    runs["copy"] = lambda: out.data.copy_from_device_async(buffer.data, size)
    median_s = _interleaved(cupy, runs)
    limit = 2 * size / median_s["copy"]
    moved = (work.source.elements + work.target.elements) * ITEM_BYTES[work.case.dtype]
    ratios = {name: moved / median_s[name] / limit for name in _NAMES if name in runs}
    return limit, _queueing_us(cupy, runs.get("ours", lambda: None)), ratios, failures


def _queueing_us(cupy: Any, run: Run) -> float:
    """Median of what a call takes the CPU, on an idle device."""
    found = []
    for _ in range(_ROUNDS):
        cupy.cuda.Device().synchronize()
        begin = time.perf_counter()
        run()
        found.append(time.perf_counter() - begin)
    return 1e6 * statistics.median(found)


def _ours(case: Case, buffer: Any, out: Any) -> Run:
    """The engine's call as a user writes it; the layouts are read once."""
    source, target = parse_layout(case.source, case.shape), parse_layout(case.target, case.shape)
    return lambda: reorder(buffer, source, target, out=out, backend="cupy")


def _contiguous(torch: Any, work: Work, buffer: Any, out: Any) -> Run:
    """`.contiguous` without its allocation: `copy_` between strided views of the same memory."""
    source, target = torch.as_tensor(buffer, device="cuda"), torch.as_tensor(out, device="cuda")
    return strided_copies(torch, source, target, work)


def _interleaved(cupy: Any, runs: dict[str, Run]) -> dict[str, float]:
    """Median seconds of one call. Each round begins with a different contender."""
    calls = {name: _calls(cupy, run) for name, run in runs.items()}
    found: dict[str, list[float]] = {name: [] for name in runs}
    names = list(runs)
    for r in range(_ROUNDS):
        first = r % len(names)
        for name in names[first:] + names[:first]:
            found[name].append(_elapsed_ms(cupy, runs[name], calls[name]) / calls[name])
    return {name: statistics.median(all_ms) / 1e3 for name, all_ms in found.items()}


def _calls(cupy: Any, run: Run) -> int:
    _elapsed_ms(cupy, run, 3)
    return min(max(math.ceil(_LEAST_MS / _elapsed_ms(cupy, run, 1)), 1), _MOST_CALLS)


def _elapsed_ms(cupy: Any, run: Run, calls: int) -> float:
    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
    begin.record()
    for _ in range(calls):
        run()
    end.record()
    end.synchronize()
    return float(cupy.cuda.get_elapsed_time(begin, end))


def _summary(rows: Iterable[tuple[Case, dict[str, float]]]) -> Iterable[str]:
    """Lines about each size, and in how many rows the engine beats PyTorch."""
    for size in ("64 MB", "1 MB"):
        ours = [(x["ours"], c.label) for c, x in rows if c.size == size and "ours" in x]
        if ours:
            middle, (least, where) = statistics.median(ratio for ratio, _ in ours), min(ours)
            yield f"{size}: median {middle:.2f} of the copy, least {least:.2f} ({where})"
    both = [x for _, x in rows if len(x) == len(_NAMES)]
    if both:
        faster = sum(x["ours"] > x["torch"] for x in both)
        yield f"faster than PyTorch in {faster} of {len(both)} rows"


if __name__ == "__main__":
    sys.exit(main())
