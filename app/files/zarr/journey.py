"""Cuts a reorder of arrays into passes of independent tasks, before anything is read."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from ...engine.model.errors import Described, LayoutError
from .boxes import Boxes, Sizes, amplification, between, grown, touched
from .lying import Lying
from .moving import Pass

MOST_AMPLIFICATION = 2.0  # above it, an intermediate array is cheaper
PROCESS_BYTES = 256 << 20  # of a worker with its libraries, before it has read anything
TASK_BYTES = 64 << 20  # below it a task is mostly waiting


@dataclass(frozen=True, slots=True)
class Journey:
    """The passes from an array to another, one or two.

    ``part``: where the progress is kept. ``beside``: tasks that run at once in one worker.
    """

    passes: tuple[Pass, ...]
    part: str
    beside: int = 1

    @property
    def tasks(self) -> int:
        """Tasks of all passes."""
        return sum(len(one.boxes) for one in self.passes)

    @property
    def peak_bytes(self) -> int:
        """The most that a worker holds, with its libraries."""
        return PROCESS_BYTES + self.beside * max(
            (one.peak_bytes(one.boxes.size) for one in self.passes), default=0
        )

    @property
    def read_bytes(self) -> int:
        """Bytes of chunks that all tasks read, decoded, those read twice counted twice."""
        return sum(_read_bytes(one) for one in self.passes)

    @property
    def written_bytes(self) -> int:
        """Bytes of chunks that all tasks write."""
        return sum(_chunk_bytes(one.writing) for one in self.passes)

    @property
    def amplification(self) -> float:
        """Bytes read of the array that is read most often, for each of its bytes."""
        return max(
            (
                amplification(one.boxes, one.reading.along(one.reading.chunks))
                for one in self.passes
            ),
            default=1.0,
        )

    def fingerprint(self) -> list[Any]:
        """What an interrupted run must have in common with the one that continues it, as JSON."""
        return [
            [one.source, _plain(one.reading), one.target, _plain(one.writing), list(one.boxes.size)]
            for one in self.passes
        ]


def planned(
    source: str,
    reading: Lying,
    target: str,
    writing: Lying,
    *,
    memory_bytes: int,
    workers: int,
    beside: int = 1,
) -> Journey:
    """Return the passes of a reorder in which each chunk or shard of the target has one writer.

    ``memory_bytes``: of one worker. ``workers``: how many tasks can run at once, ``beside`` of them
    in one worker. If tasks of this memory read more than twice the source, there is an intermediate
    array and a second pass. Errors: LayoutError naming memory.
    """
    part = f"{target.rstrip('/')}.part"

    def way(a: str, lying_a: Lying, b: str, lying_b: Lying, size: Sizes) -> Pass:
        return Pass(a, lying_a, b, lying_b, Boxes(reading.shape, size))

    def fits(one: Pass) -> bool:
        cut = tuple(map(min, one.boxes.size, (max(n, 1) for n in reading.shape)))
        return PROCESS_BYTES + beside * one.peak_bytes(cut) <= memory_bytes

    step = _step(reading, writing)
    grain = reading.along(reading.chunks)
    size = grown(
        reading.shape,
        step,
        grain,
        lambda size: fits(way(source, reading, target, writing, size)),
        least_boxes=4 * workers,
        enough=lambda size: math.prod(size) * reading.itemsize >= TASK_BYTES,
    )
    direct = way(source, reading, target, writing, size)
    journey = Journey((direct,), part, beside)
    if not fits(direct):
        raise LayoutError(
            "memory", memory_bytes, f"at least {journey.peak_bytes} bytes for one chunk or shard"
        )
    if journey.amplification <= MOST_AMPLIFICATION:
        return journey
    block = tuple(reading.block(d) for d in range(len(reading.shape)))
    least = tuple(math.lcm(g, b) for g, b in zip(grain, block, strict=True))

    def both(size: Sizes) -> bool:
        stage = _plainly(reading, size)
        return fits(way(source, reading, part, stage, size)) and fits(
            way(part, stage, target, writing, size)
        )

    first, chunk, second = between(reading.shape, least, step, both)
    stage, place = _plainly(reading, chunk), f"{part}/stage"
    staged = Journey(
        (way(source, reading, place, stage, first), way(place, stage, target, writing, second)),
        part,
        beside,
    )
    if not all(map(fits, staged.passes)) or staged.amplification > MOST_AMPLIFICATION:
        raise LayoutError(
            "memory",
            Described(f"{memory_bytes} bytes for each worker"),
            f"more: with it, chunks would be read {staged.amplification:.3g} times",
        )
    return staged


def _plainly(like: Lying, chunk: Sizes) -> Lying:
    """An array of the same tensor with one axis per dimension, in row-major chunks."""
    axes = tuple((d, None) for d in range(len(like.shape)))
    return Lying(like.shape, like.dims, axes, like.dtype, chunk, None, tuple(range(len(axes))))


def _step(reading: Lying, writing: Lying) -> Sizes:
    """The least box: whole pieces of the target that begin at whole blocks of the source."""
    return tuple(
        math.lcm(piece, reading.block(d)) for d, piece in enumerate(writing.along(writing.piece))
    )


def _read_bytes(one: Pass) -> int:
    read, _ = touched(one.boxes, one.reading.along(one.reading.chunks))
    return read * math.prod(one.reading.along(one.reading.chunks)) * one.reading.itemsize


def _chunk_bytes(lying: Lying) -> int:
    pieces = (-(-n // size) * size for n, size in zip(lying.extents, lying.piece, strict=True))
    return math.prod(pieces) * lying.itemsize


def _plain(lying: Lying) -> dict[str, Any]:
    return asdict(lying)
