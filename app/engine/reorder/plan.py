"""Plans a reorder: writes two layouts of one shape as common loops, and counts the bytes moved.

No array is needed. In each dimension, the digits of both layouts are refined to common radices
(``ranges.py``). Each loop then has an extent, a source stride and a target stride. Loops that
continue each other on both sides are merged. The last elements and the padding after them are one
loop with a fill, so that no line of memory is written twice. If a dimension falls into too many
parts, if there is a swizzle, or if there are more loops than NumPy has axes, the copy uses address
tables.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Literal

from ..inverse.overlap import distinct_addresses, shares_addresses
from ..model.digits import by_stride, strides_nest
from ..model.dtypes import ElementType
from ..model.errors import refusal
from ..model.layout import Layout
from ..model.views import permuted
from .ranges import Box, Loop, ranges_of

_MAX_LOOPS = 32
_MAX_BOXES = 4096
_ENUMERATED = 1 << 22  # elements, or addresses from the least to the greatest


@dataclass(frozen=True, slots=True)
class Plan:
    """A reorder as boxes of loops, for every element type; ``moves.py`` adds the element size.

    ``kernel``: "strided" copies ``boxes`` loop by loop; "gather" uses address tables, and
    ``boxes`` contain only the padding. ``padded_by_table``: the padding is not in ``boxes``, so
    it is written through an address table too.

    >>> from stridescope import parse_layout, plan
    >>> found = plan(parse_layout("HW", (2, 3)), parse_layout("WH", (2, 3)))
    >>> found.kernel, found.copy_needed, found.boxes[0].loops[0]
    ('strided', True, Loop(extent=3, source_stride=1, target_stride=2, fill=0))
    """

    source: Layout
    target: Layout
    kernel: Literal["strided", "gather"]
    boxes: tuple[Box, ...]
    padded_by_table: bool = False

    @property
    def elements(self) -> int:
        """Number of elements copied."""
        return self.source.elements

    @property
    def copy_needed(self) -> bool:
        """False if every element is already at its address in the target."""
        return (
            bool(self.elements) and self.source.normal_form.places != self.target.normal_form.places
        )

    def __str__(self) -> str:
        lines = [f"{self.kernel}: {self.source} -> {self.target}, {self.elements} elements"]
        if not self.copy_needed:
            lines.append("  no copy needed: every element already lies at its address")
        for box in self.boxes:
            origin = "zeros" if box.source_offset is None else f"from {box.source_offset}"
            lines.append(f"  {origin} to {box.target_offset}")
            for loop in box.loops:
                read = "" if box.source_offset is None else f"source {loop.source_stride:+}, "
                fill = f", then {loop.fill} zeros" if loop.fill else ""
                lines.append(f"    {loop.extent} x ({read}target {loop.target_stride:+}){fill}")
        return "\n".join(lines)


def plan(source: Layout, target: Layout) -> Plan:
    """Plan the copy of every element of ``source`` to its address in ``target``.

    The target's dimensions are matched by name if it has the same names, else by position.
    Errors: LayoutError naming ``target`` if the shapes differ, or if two elements of the target
    share an address.

    >>> from stridescope import parse_layout, plan
    >>> print(plan(parse_layout("NCHW", (2, 6, 3, 3)), parse_layout("NHWC", (2, 6, 3, 3))))
    strided: (54, 9, 3, 1) -> (54, 1, 18, 6), 108 elements
      from 0 to 0
        2 x (source +54, target +54)
        9 x (source +1, target +6)
        6 x (source +9, target +1)
    """
    target = aligned(source, target)
    shared = shares_addresses(target)
    if shared is not False:
        what = "share addresses" if shared else "may share addresses (the search found no answer)"
        raise refusal("target", f"a layout in which elements {what}", "target.injective")
    return _planned(source, target)


@lru_cache(maxsize=64)
def _planned(source: Layout, target: Layout) -> Plan:
    if not source.elements:
        return Plan(source, target, "strided", ())
    padded = target.padded_shape != target.shape
    if padded and (target.swizzle is not None or not padding_is_apart(target)):
        return Plan(source, target, "gather", (), padded_by_table=True)
    if source.swizzle is None and target.swizzle is None:
        found = map(ranges_of, source.digits, target.digits, source.shape)
        per_dim = [ranges for ranges in found if ranges is not None]
        if len(per_dim) == source.rank:
            boxes = _combine(per_dim, source.offset, target.offset)
            if boxes is not None:
                return Plan(source, target, "strided", boxes)
    padding = _padding_boxes(target) if padded else ()
    return Plan(source, target, "gather", padding or (), padded_by_table=padding is None)


def aligned(source: Layout, target: Layout) -> Layout:
    """Return ``target`` with its dimensions in the order of ``source``'s.

    Errors: LayoutError naming ``target`` if the shapes differ.
    """
    if set(source.dims) == set(target.dims) and source.dims != target.dims:
        target = permuted(target, [target.dims.index(name) for name in source.dims])
    if source.shape != target.shape:
        raise refusal("target", "a layout of another shape", "shape.source")
    return target


def padding_is_apart(target: Layout) -> bool:
    """Whether padding and elements share no address, so that the order of writing is free.

    A swizzle, which only permutes addresses, is left out of account.
    """
    return strides_nest(by_stride(g for gs in target.digits for g in gs if g.extent > 1))


def _padding_boxes(target: Layout) -> tuple[Box, ...] | None:
    """Return the boxes of the padding alone, or None if there are too many."""
    per_dim = []
    for digits, size in zip(target.digits, target.shape, strict=True):
        ranges = ranges_of(digits, digits, size, fills=False)
        assert ranges is not None  # the digits of one layout need few
        per_dim.append(ranges)
    boxes = _combine(per_dim, 0, target.offset)
    return boxes and tuple(box for box in boxes if box.source_offset is None)


def _combine(
    per_dim: Sequence[Sequence[Box]], source_offset: int, target_offset: int
) -> tuple[Box, ...] | None:
    """Return a box for each choice of one range per dimension, or None if there are too many."""
    if math.prod(map(len, per_dim)) > _MAX_BOXES:
        return None
    boxes: list[Box] = []
    for ranges in product(*per_dim):
        loops = [loop for r in ranges for loop in r.loops]
        source: int | None = source_offset
        for r in ranges:
            read = r.source_offset
            source = None if source is None or read is None else source + read
        if source is None:
            loops = [Loop(loop.steps, 0, loop.target_stride) for loop in loops]
        boxes.append(normal(source, target_offset + sum(r.target_offset for r in ranges), loops))
        if len(boxes[-1].loops) > _MAX_LOOPS:
            return None
    return tuple(boxes)


def normal(source: int | None, target: int, loops: Sequence[Loop]) -> Box:
    """Return a box of ``loops`` with descending target strides, positive where nothing is filled.

    Loops that continue each other are merged.
    """
    moving: list[Loop] = []
    for loop in loops:
        if loop.steps == 1:
            continue
        if loop.target_stride > 0 or loop.fill:
            moving.append(loop)
            continue
        target += (loop.extent - 1) * loop.target_stride
        if source is not None:
            source += (loop.extent - 1) * loop.source_stride
        moving.append(Loop(loop.extent, -loop.source_stride, -loop.target_stride))
    moving.sort(key=lambda x: (-abs(x.target_stride), -abs(x.source_stride)))
    merged: list[Loop] = []
    for loop in moving:
        outer = merged[-1] if merged else None
        if (
            outer is not None
            and not loop.fill
            and outer.source_stride == loop.source_stride * loop.extent
            and outer.target_stride == loop.target_stride * loop.extent
        ):
            n = loop.extent
            merged[-1] = replace(loop, extent=outer.extent * n, fill=outer.fill * n)
        else:
            merged.append(loop)
    return Box(source, target, tuple(merged))


def moved_bytes(source: Layout, target: Layout, dtype: ElementType) -> int:
    """Bytes that a copy reads and writes: ``read_bytes`` of the source, and the target's addresses
    from the least to the greatest, padding included."""
    return read_bytes(source, dtype) + dtype.size_bytes(target.span_elements)


def read_bytes(source: Layout, dtype: ElementType) -> int:
    """Bytes at the addresses of the elements, each address once: gaps and padding are not read."""
    return dtype.size_bytes(_distinct(source))


@lru_cache(maxsize=4096)
def _distinct(layout: Layout) -> int:
    """How many addresses the elements have.

    If more than 2^22 elements overlap with gaps between them, this is the smaller of the number of
    elements and that of addresses from the least to the greatest.
    """
    # Indices that all lead to one address count as one.
    moving = [any(g.stride for g in each) for each in layout.reached]
    shape = tuple(n if m else min(n, 1) for n, m in zip(layout.shape, moving, strict=True))
    once = replace(layout, shape=shape)
    if once.elements <= 1 or shares_addresses(once) is False:
        return once.elements
    span = once.span_elements
    if span <= _ENUMERATED or once.elements <= _ENUMERATED:
        return distinct_addresses(once)
    return min(once.elements, span)
