"""Measures how fast this machine reorders: each backend against a plain copy of the same bytes.

The speed of a machine changes over seconds: clock rate, caches, other processes. So all run in the
same rounds, of which each begins with another one. A ratio is computed within each round; the
result is the median over the rounds.
"""

import math
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import RenderableType
from rich.text import Text

from ..contract.shapes import Answer
from ..engine import offset_map, parse_layout, reorder
from ..engine.model.errors import refusal
from ..engine.model.layout import Layout
from ..engine.model.views import take_range
from ..engine.reorder.cpu import available
from . import tables
from .arguments import size_bytes

Bits = npt.NDArray[Any]

SMALL_BYTES = 1_000_000

_DTYPES = ("float32", "float16", "int8")
_ACTIVATIONS = (
    *(("NCHW", "NHWC"), ("NHWC", "NCHW"), ("NCHW", "NCHW4"), ("NCHW4", "NCHW")),
    *(("NCHW", "NCHW32"), ("NCHW32", "NCHW"), ("NCHW", "CHWN4"), ("NCHW4", "NCHW32")),
)
_WEIGHTS = (("onednn:oihw", "onednn:OIhw4i16o4i"),)
_CHANNELS = 64
_LEAST_BYTES, _MOST_BYTES = 100_000, 4 << 30
_OUTER_BLOCK = 16
_LEAST_S = 0.002  # of one sample: a shorter one would mostly measure the clock and the call
_MOST_CALLS = 1000
_SLOW_ELEMENTS = 1 << 20  # per look-up, to limit the memory of the offset maps


@dataclass(frozen=True, slots=True)
class Case:
    source: Layout
    target: Layout
    names: tuple[str, str]
    dtype: str
    about_bytes: int


def tensor_bytes(text: str) -> int:
    """The bytes of a size such as ``64MB``. Errors: LayoutError naming size."""
    size = size_bytes(text, "size")
    if not _LEAST_BYTES <= size <= _MOST_BYTES:
        raise refusal("size", f"{size} bytes", "size.bench")
    return size


def cases(about_bytes: int) -> Iterator[Case]:
    """The cases of a table, for tensors of about ``about_bytes`` without padding."""
    for dtype in _DTYPES:
        elements = about_bytes // np.dtype(dtype).itemsize
        side = 56 if elements > 1 << 21 else 14
        images = max(round(elements / (_CHANNELS * side * side)), 1)
        for names in _ACTIVATIONS:
            yield _case(names, (images, _CHANNELS, side, side), dtype, about_bytes)
        channels = max(round(math.sqrt(elements / 9) / 16), 1) * 16
        for names in _WEIGHTS:
            yield _case(names, (channels, channels, 3, 3), dtype, about_bytes)


def measured(case: Case, *, threads: int | None, rounds: int) -> Answer:
    """Measure each backend of this machine and the plain copy, in the same rounds.

    All write to the same target. The result of each backend is compared once with the slow path.
    ``ratios``: speed relative to the plain copy, by backend. Errors: RuntimeError if it differs.
    """
    bits = np.dtype(f"u{np.dtype(case.dtype).itemsize}")
    elements = case.source.buffer_elements
    drawn = np.random.default_rng(elements).bytes(elements * bits.itemsize)
    source = np.frombuffer(drawn, bits)
    out = np.zeros(case.target.buffer_elements, bits)
    expected = _slow(source, case)

    def one(backend: str) -> object:
        return reorder(source, case.source, case.target, out=out, threads=threads, backend=backend)

    for backend in available():
        out.fill(np.iinfo(bits).max)
        one(backend)
        if not np.array_equal(out, expected):
            raise RuntimeError(f"{backend}, {' to '.join(case.names)}: differs from the slow path")
    del expected
    contenders = {name: lambda name=name: one(name) for name in available()}
    taken = samples_s({"copy": lambda: np.copyto(out, source), **contenders}, rounds)
    return {
        "source": case.names[0],
        "target": case.names[1],
        "dtype": case.dtype,
        "shape": case.source.shape,
        "about_bytes": case.about_bytes,
        "size_bytes": source.nbytes,
        "copy_bytes_per_s": source.nbytes / statistics.median(taken["copy"]),
        "ratios": {name: ratio(taken[name], taken["copy"]) for name in contenders},
    }


def answer(rows: Sequence[Answer], *, threads: int | None, rounds: int) -> Answer:
    """The rows and the facts about the machine that they depend on, ready for JSON."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    machine = {
        "processor": platform.machine(),
        "system": platform.system(),
        "cores": cores,
        "python": platform.python_version(),
        **{name: _version(name) for name in available()},
    }
    return {"machine": machine, "threads": threads, "rounds": rounds, "rows": list(rows)}


def report(found: Answer) -> Iterator[RenderableType]:
    """The machine, then a table per size, then an explanation of the ratios."""
    yield Text("  ".join(f"{name} {fact}" for name, fact in found["machine"].items()), style="dim")
    rows = found["rows"]
    names = list(rows[0]["ratios"])
    for about in dict.fromkeys(row["about_bytes"] for row in rows):
        table = tables.columns(
            "from", "to", "dtype", "copy GB/s", *names, right=range(3, 4 + len(names))
        )
        same = [row for row in rows if row["about_bytes"] == about]
        for row in same:
            ratios = [f"{row['ratios'][name]:.2f}" for name in names]
            speed = f"{row['copy_bytes_per_s'] / 1e9:.1f}"
            table.add_row(row["source"], row["target"], row["dtype"], speed, *ratios)
        medians = (statistics.median(row["ratios"][name] for row in same) for name in names)
        table.add_row("median", "", "", "", *(f"{each:.2f}" for each in medians), style="bold")
        yield tables.section(f"about {about / 1e6:,.1f} MB", table)
    threads, rounds = found["threads"], found["rounds"]
    told = "as many threads as it needs" if threads is None else tables.count(threads, "thread")
    yield Text(
        "\nSpeed relative to np.copyto of the same bytes on one thread: 1 is equal. The engine "
        f"uses {told}. Medians of {rounds} interleaved rounds into one reused target.",
        style="dim",
    )


def _case(names: Sequence[str], shape: tuple[int, ...], dtype: str, about_bytes: int) -> Case:
    source, target = (parse_layout(name, shape) for name in names)
    return Case(source, target, (names[0], names[1]), dtype, about_bytes)


def _slow(source: Bits, case: Case) -> Bits:
    """Copy every element by its two addresses, a few slabs of the outer dimension at a time."""
    expected = np.zeros(case.target.buffer_elements, source.dtype)
    outer = case.source.shape[0]
    fitting = _SLOW_ELEMENTS * outer // case.source.elements
    step = max(fitting // _OUTER_BLOCK, 1) * _OUTER_BLOCK
    for start in range(0, outer, step):
        count = min(step, outer - start)
        at, to = (take_range(layout, 0, start, 1, count) for layout in (case.source, case.target))
        assert at is not None  # slabs of whole blocks are views
        assert to is not None
        expected[offset_map(to)] = source[offset_map(at)]
    return expected


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "unknown"


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
