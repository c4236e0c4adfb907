"""Where a tag puts the elements, without the engine: the peers and the check must not use it."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Axis:
    """A loop: ``extent`` steps, each ``place`` in the index of ``dim`` and ``stride`` in memory."""

    dim: int
    place: int
    extent: int
    stride: int


@dataclass(frozen=True, slots=True)
class Placement:
    """A dense layout of ``shape`` as ``axes``, outermost first; strides in elements."""

    shape: tuple[int, ...]
    axes: tuple[Axis, ...]

    @property
    def padded_shape(self) -> tuple[int, ...]:
        """The shape with every block whole."""
        extents = [[a.extent for a in self.axes if a.dim == d] for d in range(len(self.shape))]
        return tuple(map(math.prod, extents))

    @property
    def elements(self) -> int:
        """Number of elements of the buffer, padding included."""
        return math.prod(self.padded_shape)

    def offset(self, dim: int, index: int) -> int:
        """What ``index`` of ``dim`` adds to the address."""
        own = [a for a in self.axes if a.dim == dim]
        return sum(index // a.place % a.extent * a.stride for a in own)

    def places(self, dim: int) -> set[int]:
        """The places of the digits of ``dim``."""
        return {a.place for a in self.axes if a.dim == dim}


def placement(tag: str, shape: Sequence[int]) -> Placement:
    """The placement of a tag: letters outermost first, a number before the letter of a block."""
    pieces = [(int(n or 0), ord(x.lower()) - ord("a")) for n, x in re.findall(r"(\d*)(\D)", tag)]
    blocks = [math.prod(n for n, d in pieces if n and d == dim) for dim in range(len(shape))]
    places, stride = [1] * len(shape), 1
    axes: list[Axis] = []
    for block, dim in reversed(pieces):
        extent = block or -(-shape[dim] // blocks[dim])
        axes.append(Axis(dim, places[dim], extent, stride))
        places[dim] *= extent
        stride *= extent
    return Placement(tuple(shape), tuple(reversed(axes)))


@dataclass(frozen=True, slots=True)
class Box:
    """The same elements in source and target, as arguments of `as_strided` in elements."""

    shape: tuple[int, ...]
    source_offset: int
    source_strides: tuple[int, ...]
    target_offset: int
    target_strides: tuple[int, ...]

    def source_view(self, buffer: Array) -> Array:
        """The box as a view of the source's buffer."""
        return _view(buffer, self.shape, self.source_offset, self.source_strides)

    def target_view(self, buffer: Array) -> Array:
        """The box as a view of the target's buffer."""
        return _view(buffer, self.shape, self.target_offset, self.target_strides)


def _view(
    buffer: Array, shape: tuple[int, ...], offset_elems: int, strides_elems: tuple[int, ...]
) -> Array:
    strides_bytes = [stride * buffer.itemsize for stride in strides_elems]
    return np.lib.stride_tricks.as_strided(buffer[offset_elems:], shape, strides_bytes)


Part = tuple[int, list[tuple[int, int]]]  # first index, then (place, extent) of each loop


def _parts(size: int, places: list[int]) -> list[Part]:
    """The indices 0..size-1 as nested loops over ``places``, whole blocks first."""
    found: list[Part] = []
    first = 0
    for k in range(len(places) - 1, -1, -1):
        whole = (size - first) // places[k]
        if whole:
            inner = [(low, high // low) for low, high in pairwise(places[: k + 1])]
            found.append((first, [(places[k], whole), *reversed(inner)]))
            first += whole * places[k]
    return found


def _boxes(source: Placement, target: Placement, parts: list[list[Part]]) -> list[Box]:
    found: list[Box] = []
    for chosen in product(*parts):
        firsts = [(d, first) for d, (first, _) in enumerate(chosen)]
        loops = [(d, *loop) for d, (_, own) in enumerate(chosen) for loop in own]
        found.append(
            Box(
                tuple(extent for _, _, extent in loops),
                sum(source.offset(*at) for at in firsts),
                tuple(source.offset(d, place) for d, place, _ in loops),
                sum(target.offset(*at) for at in firsts),
                tuple(target.offset(d, place) for d, place, _ in loops),
            )
        )
    return found


def boxes(source: Placement, target: Placement) -> list[Box]:
    """All elements, in one box for whole blocks and others for the incomplete ones."""
    return _boxes(
        source,
        target,
        [
            _parts(size, sorted(source.places(d) | target.places(d)))
            for d, size in enumerate(source.shape)
        ],
    )


def padding(target: Placement) -> list[Box]:
    """The target's padding, which lies in the last block of a dimension; ignore the source side."""
    parts: list[list[Part]] = []
    for d, (size, padded) in enumerate(zip(target.shape, target.padded_shape, strict=True)):
        everything = _parts(padded, sorted(target.places(d)))
        parts.append([(size, [(1, padded - size)])] if padded > size else everything)
    return _boxes(target, target, parts) if target.padded_shape != target.shape else []
