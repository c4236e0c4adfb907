"""Moves one box of an array: zarr reads it, the engine reorders it, zarr writes its pieces."""

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.reorder.execute import reorder
from .boxes import Boxes, Sizes
from .layout import ArrayLayout
from .places import reader, writer

CHUNKS_AT_ONCE = 4  # that zarr decodes or encodes beside each other in one task


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
        """The bytes of the tensor in one box."""
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
