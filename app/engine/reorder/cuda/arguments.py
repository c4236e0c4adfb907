"""The arguments of the kernels in ``kernels.cu``: the same structures, as NumPy types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ..ranges import Loop

BLOCK_THREADS: Final = 256
UNITS_PER_THREAD: Final = 4
MOST_LOOPS: Final = 96
INDICES: Final = 1 << 31  # the kernels' indices are below this

Arguments = npt.NDArray[Any]

_DIVISOR = np.dtype([("divisor", "u4"), ("multiplier", "u4"), ("shift", "u4")], align=True)
_LOOP = np.dtype(
    [("source_stride", "i8"), ("target_stride", "i8"), ("steps", _DIVISOR), ("extent", "u4")],
    align=True,
)
_SWIZZLE = np.dtype([("mask", "i8"), ("shift", "i4")], align=True)
COPY: Final = np.dtype(
    [
        *((name, "i8") for name in ("source", "target")),
        *((name, _SWIZZLE) for name in ("source_swizzle", "target_swizzle")),
        ("parts", _DIVISOR),
        *((name, "u4") for name in ("units", "loops", "reads", "half")),
        ("loop", _LOOP, (MOST_LOOPS,)),
    ],
    align=True,
)
TILES: Final = np.dtype(
    [
        *((name, "i8") for name in ("source", "target")),
        *((name, _DIVISOR) for name in ("row_tiles", "column_tiles", "rows", "columns")),
        *((name, _DIVISOR) for name in ("read_words", "write_words")),
        *((name, "u4") for name in ("row_count", "column_count", "pitch", "slots", "tables")),
        *((name, "u4") for name in ("source_is_run", "target_is_run")),
        *((name, "u4") for name in ("wide_reads", "wide_writes")),
        *((name, "u4") for name in ("row_loops", "column_loops", "outer_loops")),
        ("loop", _LOOP, (MOST_LOOPS,)),
    ],
    align=True,
)


class TooLargeError(Exception):
    """More steps than the kernels can count, or more loops than a launch can take."""

    def __init__(self) -> None:
        super().__init__(f"the kernels take under {INDICES} steps and at most {MOST_LOOPS} loops")


@dataclass(frozen=True, slots=True)
class Launch:
    """A launch of a kernel with ``blocks`` blocks of BLOCK_THREADS threads.

    ``arguments``: one COPY or TILES. ``shared_bytes``: shared memory of a block.
    Errors: TooLargeError.
    """

    kernel: str
    blocks: int
    arguments: Arguments
    shared_bytes: int = 0

    def __post_init__(self) -> None:
        counted(self.blocks)


class Step(NamedTuple):
    """A loop of the kernels. In a gather it is a term: index / steps * stride."""

    source_stride: int
    target_stride: int
    steps: int
    extent: int


def step(loop: Loop) -> Step:
    """Return a loop of a move as a Step."""
    return Step(loop.source_stride, loop.target_stride, loop.steps, loop.extent)


def arguments(kind: np.dtype[Any], steps: Sequence[Step], **fields: int) -> Arguments:
    """Return one value of ``kind`` with ``steps``, innermost first, and ``fields``.

    Fields that are divisors in ``kind`` are converted. Errors: TooLargeError.
    """
    if len(steps) > MOST_LOOPS:
        raise TooLargeError
    found = np.zeros(1, kind)
    found["loop"][0, : len(steps)] = [
        (x.source_stride, x.target_stride, divisor(x.steps), counted(x.extent)) for x in steps
    ]
    for name, value in fields.items():
        found[name] = divisor(value) if kind[name] == _DIVISOR else value
    return found


def divisor(n: int) -> tuple[int, int, int]:
    """Return ``n``, and the multiplier and the shift with which the kernels divide by it.

    Source: Granlund and Montgomery, Division by invariant integers using multiplication, 1994.
    """
    bits = (counted(n) - 1).bit_length()
    return (n, -(-(1 << 31 + bits) // n), bits - 1) if n > 1 else (1, 0, 0)


def counted(n: int) -> int:
    """Return ``n`` if the kernels can count to it. Errors: TooLargeError."""
    if n >= INDICES:
        raise TooLargeError
    return n
