"""How much is read and held when a tensor is moved box by box: arithmetic, without any array.

A box is a product of intervals, one per dimension. Boxes of one size cover a tensor from 0 on, the
last of each dimension is cut off. Whatever is read or written is a product over the dimensions,
so a count of tasks or bytes costs O(rank) additions, whatever the size of the tensor.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ...engine.model.digits import unravelled

Sizes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Boxes:
    """The boxes of one ``size`` that cover ``shape``, numbered in row-major order."""

    shape: Sizes
    size: Sizes

    @property
    def grid(self) -> Sizes:
        """Boxes per dimension; none in a dimension of size 0."""
        return tuple(-(-n // s) for n, s in zip(self.shape, self.size, strict=True))

    def __len__(self) -> int:
        return math.prod(self.grid)

    def box(self, number: int) -> tuple[slice, ...]:
        each = zip(self.shape, self.size, unravelled(number, self.grid), strict=True)
        return tuple(slice(at * size, min((at + 1) * size, n)) for n, size, at in each)


def touched(boxes: Boxes, grain: Sizes) -> tuple[int, int]:
    """Chunks of size ``grain`` that all boxes read together, and those that there are."""
    read = there = 1
    for n, size, g in zip(boxes.shape, boxes.size, grain, strict=True):
        read *= _reads(n, size, g)
        there *= -(-n // g)
    return read, there


def _reads(n: int, size: int, grain: int) -> int:
    """Chunks read in one dimension. The pattern repeats where a box and a chunk end together."""
    period = math.lcm(size, grain)
    whole, rest = divmod(n, period)

    def until(end: int) -> int:
        return sum(-(-min(at + size, end) // grain) - at // grain for at in range(0, end, size))

    return (whole * until(period) if whole else 0) + until(rest)


def amplification(boxes: Boxes, grain: Sizes) -> float:
    """Bytes read for each byte of the chunks: 1 if each chunk is read once."""
    read, there = touched(boxes, grain)
    return read / there if there else 1.0


def grown(
    shape: Sizes,
    step: Sizes,
    grain: Sizes,
    fits: Callable[[Sizes], bool],
    *,
    least_boxes: int,
    enough: Callable[[Sizes], bool],
) -> Sizes:
    """Return the size of boxes, a multiple of ``step``, that read chunks of ``grain`` least often.

    Grown while it ``fits``: first where chunks are read more than once, then while there are more
    than ``least_boxes`` and one is not ``enough`` work for a task. The result is ``step`` if
    nothing larger fits.
    """

    def times_read(size: Sizes) -> float:
        return amplification(Boxes(shape, size), grain)

    dims, size = range(len(shape)), step
    while times_read(size) > 1:
        ways = [way for d in dims for way in _longer(size, d, shape, step, grain) if fits(way)]
        best = min(ways, key=lambda way: (times_read(way), math.prod(way)), default=size)
        if times_read(best) >= times_read(size):
            break
        size = best
    while not enough(size):
        ways = [way for d in dims for way in _doubled(size, d, shape) if fits(way)]
        ways = [way for way in ways if len(Boxes(shape, way)) >= least_boxes]
        ways = [way for way in ways if times_read(way) <= times_read(size)]
        if not ways:
            break
        size = ways[-1]  # the innermost dimension: neighbours in it share chunks most often
    return size


def between(
    shape: Sizes, read: Sizes, write: Sizes, fits: Callable[[Sizes], bool]
) -> tuple[Sizes, Sizes, Sizes]:
    """Return sizes of boxes for two passes, and the chunk between them.

    ``read``: the least box of the first pass, which reads the source's chunks once; ``write``: of
    the second, which writes the target's. Both grow while they fit, so that the chunk between,
    the smaller of both in each dimension, becomes as large as it can. Boxes of the first pass are
    multiples of that chunk, so that each has one writer.
    Source: the plan of rechunker (read, intermediate and write chunks).
    """
    first, second = read, write
    while True:
        ways = [
            *((way, second) for d in range(len(shape)) for way in _doubled(first, d, shape)),
            *((first, way) for d in range(len(shape)) for way in _doubled(second, d, shape)),
        ]
        ways = [way for way in ways if fits(way[0]) and fits(way[1])]
        best = max(ways, key=_common, default=(first, second))
        if _common(best) <= _common((first, second)):
            break
        first, second = best
    chunk = tuple(map(min, first, second))
    return tuple(a // c * c for a, c in zip(first, chunk, strict=True)), chunk, second


def _common(sizes: tuple[Sizes, Sizes]) -> int:
    return math.prod(map(min, *sizes))


def _longer(size: Sizes, d: int, shape: Sizes, step: Sizes, grain: Sizes) -> Iterator[Sizes]:
    """Larger boxes in dimension ``d``: the next that ends with a chunk, and twice as long."""
    if size[d] >= shape[d]:
        return
    whole = math.lcm(step[d], grain[d])
    for length in {-(-(size[d] + 1) // whole) * whole, 2 * size[d]}:
        yield (*size[:d], _ended(length, shape[d], step[d]), *size[d + 1 :])


def _doubled(size: Sizes, d: int, shape: Sizes) -> Iterator[Sizes]:
    if size[d] < shape[d]:
        yield (*size[:d], _ended(2 * size[d], shape[d], size[d]), *size[d + 1 :])


def _ended(length: int, n: int, step: int) -> int:
    """At most the first multiple of ``step`` that reaches the end of the dimension."""
    return min(length, -(-n // step) * step)
