"""A reorder of arrays as passes of independent tasks, planned before anything is read.

Of each box zarr reads the chunks, the engine reorders it, zarr writes its pieces.
"""

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.model.errors import refusal
from ...engine.reorder.execute import reorder
from .boxes import Boxes, Sizes, amplification, between, grown, touched
from .layout import ArrayLayout
from .places import reader, writer

CHUNKS_AT_ONCE = 4  # that zarr decodes or encodes beside each other in one task
MOST_AMPLIFICATION = 2.0  # above it, an intermediate array is cheaper
PROCESS_BYTES = 256 << 20  # of a worker with its libraries, before it has read anything
TASK_BYTES = 64 << 20  # below it a task is mostly waiting


@dataclass(frozen=True, slots=True)
class Pass:
    """One way through a tensor: every box of ``boxes`` from an array to another."""

    source: str
    reading: ArrayLayout
    target: str
    writing: ArrayLayout
    boxes: Boxes

    @property
    def moved_bytes(self) -> int:
        """The bytes of the tensor."""
        elements: int = math.prod(self.boxes.shape)
        return elements * self.reading.itemsize

    def peak_bytes(self, size: Sizes) -> int:
        """The most that a task holds for a box of this size, the process itself apart."""
        box = [slice(0, n) for n in size]
        read = [s.stop for s in self.reading.region(box)]
        item = self.reading.itemsize
        target = self.writing.of_pieces(size).buffer_elements * item
        chunk = math.prod(self.reading.chunks) * item
        piece = math.prod(self.writing.piece) * item
        buffers: int = math.prod(read) * item + target
        return buffers + CHUNKS_AT_ONCE * 2 * (chunk + piece)

    def bytes_of(self, number: int) -> int:
        elements: int = math.prod(s.stop - s.start for s in self.boxes.box(number))
        return elements * self.reading.itemsize

    def move(self, number: int) -> int:
        """Move one box; return its bytes. It may be done again: it writes the same."""
        import zarr

        box = self.boxes.box(number)
        sizes = tuple(s.stop - s.start for s in box)
        source, target = self.reading.of_region(sizes), self.writing.of_pieces(sizes)
        with zarr.config.set({"async.concurrency": CHUNKS_AT_ONCE}):
            read = np.ascontiguousarray(reader(self.source, self.reading)[self.reading.region(box)])
            plain = read.reshape(-1).view(self.reading.element.stored())
            moved = reorder(plain, source, target, threads=1).view(read.dtype)
            self._write(moved, box)
        return self.bytes_of(number)

    def _write(self, moved: npt.NDArray[Any], box: tuple[slice, ...]) -> None:
        layout = self.writing
        array, region = writer(self.target, layout), layout.region(box)
        rank = len(layout.axes)
        counts = [
            -(-(part.stop - part.start) // piece) if x is None else 1
            for (_, x), part, piece in zip(layout.axes, region, layout.piece, strict=True)
        ]
        inner = [layout.piece[axis] for axis in layout.inside]
        pieces = moved.reshape(*counts, *inner)
        back = [layout.inside.index(axis) for axis in range(rank)]
        for at in itertools.product(*map(range, counts)):
            place = tuple(
                slice(part.start + i * piece, min(part.start + (i + 1) * piece, part.stop))
                for i, part, piece in zip(at, region, layout.piece, strict=True)
            )
            valid = tuple(slice(0, part.stop - part.start) for part in place)
            array[place] = pieces[at].transpose(back)[valid]


@dataclass(frozen=True, slots=True)
class Workers:
    """The workers of a cluster, and of the one with the least memory for a task what it has.

    ``threads``: of all workers. ``memory_bytes``: the limit at which that worker is ended.
    ``beside``: the tasks that run in it at once, its threads.
    """

    count: int
    threads: int
    memory_bytes: int
    beside: int = 1


@dataclass(frozen=True, slots=True)
class Transfer:
    """The passes from an array to another, one or two. ``part``: where the progress is kept."""

    passes: tuple[Pass, ...]
    part: str
    workers: Workers

    @property
    def peak_bytes(self) -> int:
        """The most that a worker holds, with its libraries."""
        largest = max(one.peak_bytes(one.boxes.size) for one in self.passes)
        return PROCESS_BYTES + self.workers.beside * largest

    @property
    def read_bytes(self) -> int:
        """Bytes of chunks that all tasks read, decoded, those read twice counted twice."""
        chunks = ((touched(one.boxes, one.reading.grain)[0], one.reading) for one in self.passes)
        return sum(read * math.prod(array.grain) * array.itemsize for read, array in chunks)

    @property
    def written_bytes(self) -> int:
        """Bytes of chunks that all tasks write."""
        return sum(_chunk_bytes(one.writing) for one in self.passes)

    @property
    def amplification(self) -> float:
        """Bytes read of the array that is read most often, for each of its bytes."""
        return max(amplification(one.boxes, one.reading.grain) for one in self.passes)


def planned(
    source: str, reading: ArrayLayout, target: str, writing: ArrayLayout, workers: Workers
) -> Transfer:
    """Return the passes of a reorder in which each chunk or shard of the target has one writer.

    If tasks of the workers' memory read more than twice the source, there is an intermediate array
    and a second pass. Errors: LayoutError naming memory.
    """
    part = f"{target.rstrip('/')}.part"
    shape, memory_bytes = reading.shape, workers.memory_bytes

    def direct(size: Sizes) -> Pass:
        return Pass(source, reading, target, writing, Boxes(shape, size))

    def staged(first: Sizes, chunk: Sizes, second: Sizes) -> tuple[Pass, Pass]:
        # One axis per dimension, in row-major chunks.
        dims = tuple(range(len(shape)))
        axes = tuple((d, None) for d in dims)
        stage = ArrayLayout(shape, reading.dims, axes, reading.dtype, chunk, None, dims)
        place = f"{part}/stage"
        one = Pass(source, reading, place, stage, Boxes(shape, first))
        return one, Pass(place, stage, target, writing, Boxes(shape, second))

    def fits(*passes: Pass) -> bool:
        whole = [max(n, 1) for n in shape]
        needed = (one.peak_bytes(tuple(map(min, one.boxes.size, whole))) for one in passes)
        return all(PROCESS_BYTES + workers.beside * each <= memory_bytes for each in needed)

    # The least box: whole pieces of the target that begin at whole blocks of the source.
    pieces = enumerate(writing.along(writing.piece))
    step = tuple(math.lcm(piece, reading.block(d)) for d, piece in pieces)
    size = grown(
        shape,
        step,
        reading.grain,
        lambda size: fits(direct(size)),
        least_boxes=4 * workers.threads,
        enough=lambda size: math.prod(size) * reading.itemsize >= TASK_BYTES,
    )
    found = Transfer((direct(size),), part, workers)
    got = f"{memory_bytes} bytes for each worker"
    if not fits(*found.passes):
        least = found.peak_bytes
        raise refusal("memory", got, "zarr.chunk_bytes", least=least, process=PROCESS_BYTES)
    if found.amplification <= MOST_AMPLIFICATION:
        return found
    read = tuple(map(math.lcm, reading.grain, map(reading.block, range(len(shape)))))
    sizes = between(shape, read, step, lambda size: fits(*staged(size, size, size)))
    found = Transfer(staged(*sizes), part, workers)
    if not fits(*found.passes) or found.amplification > MOST_AMPLIFICATION:
        raise refusal("memory", got, "zarr.more_memory", times=found.amplification)
    return found


def _chunk_bytes(layout: ArrayLayout) -> int:
    pieces = (-(-n // size) * size for n, size in zip(layout.extents, layout.piece, strict=True))
    return math.prod(pieces) * layout.itemsize
