"""Plan a reorder: two layouts of one shape as common loops, before any array is touched.

Both layouts' digits are refined per dimension to radices that both have. Each loop then has an
extent, a source stride and a target stride. Loops that continue each other on both sides are
one. Where radices do not divide each other (blocks of 4 into blocks of 6) or there are more
loops than NumPy has axes, the copy goes through the address tables.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise, product
from typing import Literal

from app.engine.address import shares_addresses
from app.engine.errors import Described, LayoutError
from app.engine.layout import Digit, Layout

_MAX_LOOPS = 32
_MAX_BOXES = 4096


@dataclass(frozen=True, slots=True)
class Loop:
    """``extent`` steps of ``source_stride`` and ``target_stride`` elements."""

    extent: int
    source_stride: int
    target_stride: int


@dataclass(frozen=True, slots=True)
class Box:
    """Nested loops, outermost first, from a source and a target address; no loops: one element."""

    source_offset: int
    target_offset: int
    loops: tuple[Loop, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a reorder will do.

    ``kernel``: "strided" copies ``boxes`` loop by loop, "gather" goes through address tables.
    ``padding``: boxes of the target (source side unused) that are written zero, None where they
    are written through the table of the padded tensor.
    ``elements``: logical elements copied.
    """

    source: Layout
    target: Layout
    kernel: Literal["strided", "gather"]
    boxes: tuple[Box, ...]
    padding: tuple[Box, ...] | None

    @property
    def elements(self) -> int:
        """Elements copied."""
        return self.source.elements

    def __str__(self) -> str:
        lines = [f"{self.kernel}: {self.source} -> {self.target}, {self.elements} elements"]
        for box in self.boxes:
            lines.append(f"  from {box.source_offset} to {box.target_offset}")
            lines += [
                f"    {x.extent} x (source {x.source_stride:+}, target {x.target_stride:+})"
                for x in box.loops
            ]
        return "\n".join(lines)


def plan(source: Layout, target: Layout) -> Plan:
    """Plan the copy of every element of ``source`` to its address in ``target``.

    The target's dimensions are matched by name if it has the same names, else by position.
    Errors: LayoutError where the shapes differ or two elements of the target share an address.
    """
    target = aligned(source, target)
    shared = shares_addresses(target)
    if shared is not False:
        what = "share addresses" if shared else "may share addresses (the search ended undecided)"
        raise LayoutError(
            "target",
            Described(f"a layout in which elements {what}"),
            "a target with an address of its own for each element",
        )
    kernel, boxes, padding = _planned(source, target)
    return Plan(source, target, kernel, boxes, padding)


# Layouts are equal whatever their spelling: what is cached must not hold them.
@lru_cache(maxsize=64)
def _planned(
    source: Layout, target: Layout
) -> tuple[Literal["strided", "gather"], tuple[Box, ...], tuple[Box, ...] | None]:
    padding = _padding_boxes(target)
    refined = [
        _refine(source.digits[d], target.digits[d], size) for d, size in enumerate(source.shape)
    ]
    ranges = [
        list(_prefix(loops, size)) if loops is not None else None
        for loops, size in zip(refined, source.shape, strict=True)
    ]
    per_dim = [r for r in ranges if r is not None]
    if len(per_dim) < len(ranges) or source.swizzle or target.swizzle:
        return "gather", (), padding
    if math.prod(map(len, per_dim)) > _MAX_BOXES:
        return "gather", (), padding
    boxes = tuple(_combine(per_dim, source.offset, target.offset))
    if any(len(box.loops) > _MAX_LOOPS for box in boxes):
        return "gather", (), padding
    return "strided", boxes, padding


def aligned(source: Layout, target: Layout) -> Layout:
    """``target`` with its dimensions in the order of ``source``'s."""
    if set(source.dims) == set(target.dims) and source.dims != target.dims:
        where = [target.dims.index(name) for name in source.dims]
        target = replace(
            target,
            shape=tuple(target.shape[d] for d in where),
            dims=source.dims,
            digits=tuple(target.digits[d] for d in where),
            order=target.order and tuple((where.index(d), k) for d, k in target.order),
        )
    if source.shape != target.shape:
        raise LayoutError(
            "target", Described("a layout of another shape"), "the shape of the source"
        )
    return target


def _refine(source: Sequence[Digit], target: Sequence[Digit], size: int) -> list[Loop] | None:
    """Loops of one dimension over radices common to both, None if there are none."""
    if size == 0:
        return [Loop(0, 0, 0)]
    from_source, from_target = _strides_by_place(source), _strides_by_place(target)
    places = sorted({p for p in (*from_source, *from_target) if p < size} | {1})
    if any(outer % inner for inner, outer in pairwise(places)):
        return None
    ends = [*places[1:], places[-1] * -(-size // places[-1])]
    return [
        Loop(end // place, _stride_at(from_source, place), _stride_at(from_target, place))
        for place, end in reversed(list(zip(places, ends, strict=True)))
    ]


def _strides_by_place(digits: Sequence[Digit]) -> dict[int, int]:
    strides, place = {}, 1
    for g in reversed(digits):
        # The outer of two digits at one place is the one that moves: the inner has extent 1.
        strides[place] = g.stride
        place *= g.extent
    return strides


def _stride_at(strides: dict[int, int], place: int) -> int:
    own = max(p for p in strides if p <= place)
    return strides[own] * (place // own)


Range = tuple[int, int, tuple[Loop, ...]]


def _prefix(loops: Sequence[Loop], size: int) -> Iterator[Range]:
    """Boxes that together are the indices 0..size-1, as (source base, target base, loops)."""
    full = math.prod(loop.extent for loop in loops)
    if size == full:
        yield 0, 0, tuple(loops)
        return
    first, rest = loops[0], loops[1:]
    place = math.prod(loop.extent for loop in rest)
    whole, left = divmod(size, place)
    if whole:
        yield 0, 0, (replace(first, extent=whole), *rest)
    if left:
        for source, target, inner in _prefix(rest, left):
            yield source + whole * first.source_stride, target + whole * first.target_stride, inner


def _suffix(loops: Sequence[Loop], size: int) -> Iterator[Range]:
    """Boxes that together are the indices from ``size`` to the last."""
    if not loops or size >= math.prod(loop.extent for loop in loops):
        return
    first, rest = loops[0], loops[1:]
    place = math.prod(loop.extent for loop in rest)
    whole, left = divmod(size, place)
    if left:
        for source, target, inner in _suffix(rest, left):
            yield source + whole * first.source_stride, target + whole * first.target_stride, inner
        whole += 1
    if whole < first.extent:
        yield (
            whole * first.source_stride,
            whole * first.target_stride,
            (replace(first, extent=first.extent - whole), *rest),
        )


def _padding_boxes(target: Layout) -> tuple[Box, ...] | None:
    """Boxes of the padding, None where a swizzle or their number speaks against boxes."""
    if target.padded_shape == target.shape:
        return ()
    if target.swizzle:
        return None
    digits = [[Loop(g.extent, 0, g.stride) for g in gs] for gs in target.digits]
    everything = [[(0, 0, tuple(loops))] for loops in digits]
    real = [list(_prefix(loops, n)) for loops, n in zip(digits, target.shape, strict=True)]
    found: list[Box] = []
    for d, size in enumerate(target.shape):
        beyond = list(_suffix(digits[d], size))
        per_dim = [*real[:d], beyond, *everything[d + 1 :]]
        if len(found) + math.prod(map(len, per_dim)) > _MAX_BOXES:
            return None
        found.extend(_combine(per_dim, 0, target.offset))
    if any(len(box.loops) > _MAX_LOOPS for box in found):
        return None
    return tuple(found)


def _combine(
    per_dim: Sequence[Sequence[Range]], source_offset: int, target_offset: int
) -> Iterator[Box]:
    for ranges in product(*per_dim):
        loops = _coalesce([loop for _, _, loops in ranges for loop in loops])
        if any(loop.extent == 0 for loop in loops):
            continue
        yield Box(
            source_offset + sum(source for source, _, _ in ranges),
            target_offset + sum(target for _, target, _ in ranges),
            loops,
        )


def _coalesce(loops: Sequence[Loop]) -> tuple[Loop, ...]:
    """Loops by descending target stride, those that continue each other on both sides merged."""
    merged: list[Loop] = []
    moving = [loop for loop in loops if loop.extent != 1]
    for loop in sorted(moving, key=lambda x: (-abs(x.target_stride), -abs(x.source_stride))):
        if (
            merged
            and merged[-1].source_stride == loop.source_stride * loop.extent
            and merged[-1].target_stride == loop.target_stride * loop.extent
        ):
            merged[-1] = replace(loop, extent=merged[-1].extent * loop.extent)
        else:
            merged.append(loop)
    return tuple(merged)
