"""The buffers of one case, and what a contender is."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from benchmarks.reorder.cases import ITEM_BYTES, TAGS, Case
from benchmarks.reorder.placement import Array, Placement, boxes, padding, placement

_ALIGNMENT_BYTES = 64
_PERIOD_BYTES = 1_000_003  # prime, so that no stride of a layout meets it
_DIRTY = 0xA5  # what a target holds before it is checked


@dataclass(frozen=True, slots=True)
class Work:
    """``buffer`` and ``out``: one-dimensional, in address order, both with every page touched."""

    case: Case
    source: Placement
    target: Placement
    buffer: Array
    out: Array
    expected: Array

    def is_right(self, answer: object) -> bool:
        """Whether ``answer``, or ``out`` where it is None, has every bit as expected."""
        got = self.out if answer is None else np.asarray(answer).reshape(-1)
        same_type = got.dtype == self.expected.dtype
        return same_type and np.array_equal(_bits(got), _bits(self.expected))

    def soil(self) -> None:
        """Make ``out`` wrong everywhere, so that a contender that does nothing is found out."""
        self.out.view(np.uint8)[:] = _DIRTY


class Unavailable(Exception):  # noqa: N818  # a state, not a fault
    """A contender that cannot be had here; says why."""


def imported(name: str) -> Any:
    """A library that has no types here; Unavailable where it cannot be imported."""
    try:
        return importlib.import_module(name)
    except (ImportError, OSError) as error:
        raise Unavailable(str(error).splitlines()[0]) from error


# Runs once; None if it wrote into the work's ``out``, else the target it allocated.
Run = Callable[[], object]


class Contender(Protocol):
    """Made once per process, raises Unavailable then; asked for a run per case.

    ``compiles``: the first call is longer than the others.
    """

    version: str
    compiles: bool

    def run_of(self, work: Work) -> Run | None:
        """The reorder, ready to be called; None where it has no way to express the pair."""


def work_of(case: Case) -> Work:
    """Random elements, also in the source's padding, and the target that they must become."""
    source = placement(TAGS[case.source], case.shape)
    target = placement(TAGS[case.target], case.shape)
    # Normal numbers in every dtype, so that no library may quieten or flush them; and never 0, so
    # that source padding is seen where it is taken for padding of the target.
    pattern = np.random.default_rng(1).integers(0x20, 0x61, _PERIOD_BYTES, dtype=np.uint8)
    buffer = _aligned(source.elements, case.dtype)
    buffer.view(np.uint8)[:] = np.resize(pattern, buffer.nbytes)
    expected = np.zeros(target.elements, dtype=case.dtype)
    for box in boxes(source, target):
        np.copyto(box.target_view(expected), box.source_view(buffer))
    out = _aligned(target.elements, case.dtype)
    work = Work(case, source, target, buffer, out, expected)
    work.soil()
    return work


def _aligned(elements: int, dtype: str) -> Array:
    """An uninitialised array that begins at a cache line."""
    size_bytes = elements * ITEM_BYTES[dtype]
    raw = np.empty(size_bytes + _ALIGNMENT_BYTES, dtype=np.uint8)
    start = -raw.ctypes.data % _ALIGNMENT_BYTES
    return raw[start : start + size_bytes].view(dtype)


def pairs_of_views(work: Work) -> tuple[list[tuple[Array, Array]], list[Array]]:
    """(target, source) views to be copied, and views of the target to be zeroed."""
    copied = [
        (box.target_view(work.out), box.source_view(work.buffer))
        for box in boxes(work.source, work.target)
    ]
    return copied, [box.target_view(work.out) for box in padding(work.target)]


def _bits(values: Array) -> Array:
    return values.view(f"u{values.itemsize}")


def strided_copies(torch: Any, source: Any, target: Any, work: Work) -> Run:
    """PyTorch's `copy_`, one per box of whole blocks, and its zeros; on any device."""
    view = torch.as_strided
    copied = [
        (
            view(target, box.shape, box.target_strides, box.target_offset),
            view(source, box.shape, box.source_strides, box.source_offset),
        )
        for box in boxes(work.source, work.target)
    ]
    zeroed = [
        view(target, box.shape, box.target_strides, box.target_offset)
        for box in padding(work.target)
    ]

    def run() -> None:
        for tail in zeroed:
            tail.zero_()
        for to, came in copied:
            to.copy_(came)

    return run
