"""int4 beside int8: how many bytes each moves per second, of the same shape.

Both have as many elements, so int4 has half the bytes. Ratio 0.5 says that a nibble takes as long
as a byte, 1 that int4 moves as many bytes per second. One thread; all buffers begin 16 bytes after
a line of memory, as NumPy's own large arrays do. Times are CPU times of the thread. Each int4
target is compared with NumPy's first.
"""

import statistics
import time
from collections.abc import Iterator

import numpy as np

from app.engine import Layout, parse_layout, reorder
from benchmarks.reorder.cases import BLOCKED_PAIRS, PLAIN_PAIRS
from benchmarks.reorder.placement import Array

_PAIRS = (*PLAIN_PAIRS, *BLOCKED_PAIRS[:-1], ("CHWN4", "NCHW"))  # NCHW4 to NCHW32 moves bytes
_SIDES = (56, 28, 14, 7, 3)
_CHANNELS = 64
_ELEMENTS = {"64 MB": 64_000_000, "1 MB": 1_000_000}
_ROUNDS = 7
_CALLS_ELEMENTS = 8_000_000  # of the calls that are timed together
_LEAST = 0.25  # required by issue 22, in the median row


def print_rows(only: str) -> Iterator[str]:
    """Print a row per pair, side and size; yield what failed. ``only``: part of a row's label."""
    print(f"{'pair':<14} {'shape':<16} {'int8':<6} {'GB/s':>6} {'int4':>6}  int4 to int8")
    ratios = []
    for size, elements in _ELEMENTS.items():
        for side in _SIDES:
            n = elements // (_CHANNELS * side * side) // 4 * 4
            for one, other in _PAIRS:
                shape = (n, _CHANNELS, side, side)
                dims = "x".join(map(str, shape))
                label = f"{one + '->' + other:<14} {dims:<16} {size:<6}"
                if only not in label:
                    continue
                rates = _rates(parse_layout(one, shape), parse_layout(other, shape))
                if rates is None:
                    yield f"int4, {label}: not equal to NumPy's"
                    continue
                int8, int4 = rates
                ratios.append(int4 / int8)
                print(f"{label} {int8 / 1e9:>6.1f} {int4 / 1e9:>6.1f}  {ratios[-1]:.2f}")
    if ratios:
        median = statistics.median(ratios)
        print(f"int4 to int8, {len(ratios)} rows: median {median:.2f}, least {min(ratios):.2f}")
        if median < _LEAST:
            yield f"int4: median {median:.2f}, below {_LEAST}"


def _rates(source: Layout, target: Layout) -> tuple[float, float] | None:
    """Return bytes read and written per second by int8 and int4; None if int4 is wrong."""
    draw = np.random.default_rng(1)
    found = {}
    for dtype, per_byte in (("int8", 1), ("int4", 2)):
        came, went = (_placed(-(-x.buffer_elements // per_byte)) for x in (source, target))
        came[:] = draw.integers(0, 256, came.size, dtype=np.uint8)
        found[dtype] = (came, went)

    def run(dtype: str, backend: str = "numba") -> None:
        came, went = found[dtype]
        element = dtype if dtype == "int4" else None
        reorder(came, source, target, out=went, dtype=element, threads=1, backend=backend)

    run("int4", "numpy")
    expected = found["int4"][1].copy()
    found["int4"][1][:] = 0xA5
    run("int4")
    if not np.array_equal(found["int4"][1], expected):
        return None
    run("int8")
    calls = max(1, _CALLS_ELEMENTS // source.elements)
    timed: dict[str, list[float]] = {dtype: [] for dtype in found}
    for _ in range(_ROUNDS):
        for dtype, times in timed.items():
            began = time.thread_time()
            for _ in range(calls):
                run(dtype)
            times.append((time.thread_time() - began) / calls)
    size = {dtype: came.nbytes + went.nbytes for dtype, (came, went) in found.items()}
    int8, int4 = (size[dtype] / statistics.median(timed[dtype]) for dtype in timed)
    return int8, int4


def _placed(count: int) -> Array:
    raw = np.zeros(count + 128, np.uint8)
    begin = -raw.ctypes.data % 64 + 16
    return raw[begin : begin + count]
