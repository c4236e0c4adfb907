"""The buffers of one case, and the protocol of a contender."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from benchmarks.reorder.cases import ITEM_BYTES, TAGS, Case
from benchmarks.reorder.placement import Array, Placement, boxes, padding, placement

_LINE_BYTES = 64
_PERIOD_BYTES = 1_000_003  # prime, so that it divides no stride of a layout
_DIRTY = 0xA5  # every byte of a target before a contender writes it


@dataclass(frozen=True, slots=True)
class Work:
    """``buffer`` and ``out``: one-dimensional, in address order; every page has been written."""

    case: Case
    source: Placement
    target: Placement
    buffer: Array
    out: Array
    expected: Array

    def is_right(self, answer: object) -> bool:
        """Whether ``answer``, or ``out`` if it is None, equals ``expected`` bit for bit."""
        got = self.out if answer is None else np.asarray(answer).reshape(-1)
        same_type = got.dtype == self.expected.dtype
        return same_type and np.array_equal(_bits(got), _bits(self.expected))

    def soil(self) -> None:
        """Make ``out`` wrong everywhere, so that a contender that does nothing fails."""
        self.out.view(np.uint8)[:] = _DIRTY


class Unavailable(Exception):  # noqa: N818  # not an error
    """A contender is not available here; the message is the reason."""


def imported(name: str) -> Any:
    """A module by name, untyped. Errors: Unavailable if it cannot be imported."""
    try:
        return importlib.import_module(name)
    except (ImportError, OSError) as error:
        raise Unavailable(str(error).splitlines()[0]) from error


# Reorders once. Returns None if it wrote to the work's ``out``, else the target it allocated.
Run = Callable[[], object]


class Contender(Protocol):
    """Created once per process, which may raise Unavailable; ``run_of`` is called per case.

    ``compiles``: the first call takes longer than the others.
    """

    version: str
    compiles: bool

    def run_of(self, work: Work) -> Run | None:
        """The reorder, ready to be called; None if the contender cannot do this pair."""


def work_of(case: Case) -> Work:
    """Buffers with random elements, also in the source's padding, and the expected target."""
    source = placement(TAGS[case.source], case.shape)
    target = placement(TAGS[case.target], case.shape)
    # Normal numbers in every dtype, because libraries may change NaNs and subnormal numbers. Never
    # 0, so that a copy of the source's padding to the target's is noticed.
    pattern = np.random.default_rng(1).integers(0x20, 0x61, _PERIOD_BYTES, dtype=np.uint8)
    buffer = _placed(source.elements, case)
    buffer.view(np.uint8)[:] = np.resize(pattern, buffer.nbytes)
    expected = np.zeros(target.elements, dtype=case.dtype)
    for box in boxes(source, target):
        np.copyto(box.target_view(expected), box.source_view(buffer))
    out = _placed(target.elements, case)
    work = Work(case, source, target, buffer, out, expected)
    work.soil()
    return work


def _placed(elements: int, case: Case) -> Array:
    """An uninitialised array that begins where the case says."""
    size_bytes = elements * ITEM_BYTES[case.dtype]
    raw = np.empty(size_bytes + 2 * _LINE_BYTES, dtype=np.uint8)
    start = -raw.ctypes.data % _LINE_BYTES + case.begins_at
    placed: Array = np.ndarray(elements, case.dtype, raw, start)
    return placed


def pairs_of_views(work: Work) -> tuple[list[tuple[Array, Array]], list[Array]]:
    """(target, source) pairs of views to copy, and views of the target to fill with 0."""
    copied = [
        (box.target_view(work.out), box.source_view(work.buffer))
        for box in boxes(work.source, work.target)
    ]
    return copied, [box.target_view(work.out) for box in padding(work.target)]


def _bits(values: Array) -> Array:
    return values.view(f"u{values.itemsize}")


def strided_copies(torch: Any, source: Any, target: Any, work: Work) -> Run:
    """PyTorch's `copy_`, one per box of whole blocks, and zeros in the padding; any device."""
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
