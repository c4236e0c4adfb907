"""tensor-layouts: bank passes of shared memory and sectors of global memory, for CuTe's layouts."""

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import tensor_layouts as theirs
from tensor_layouts import analysis

from app.engine.cost.warp import Space, Warp, WarpCost, warp_cost
from app.engine.model.dtypes import ELEMENT_TYPES
from app.engine.model.layout import Digit, Layout, Swizzle
from conformance.report import Comparison

_CASES = 1500
_TYPES = {1: "int8", 2: "float16", 4: "float32", 8: "float64"}
_STRIDES = (0, 2, 3, 4, 8, 16, 17, 31, 32, 33, 64, 128, 136)


def compare(rng: random.Random) -> Iterator[Comparison]:
    """Passes of a phase, and sectors."""
    passes = Comparison("tensor-layouts", "bank passes of a phase")
    sectors = Comparison("tensor-layouts", "sectors of 32 bytes")
    for _ in range(_CASES):
        layout, vector, itemsize = _drawn(rng)
        same = _theirs(layout, vector)
        shared = _ours(layout, vector, itemsize, "shared")
        first = shared.phases[0]
        said = analysis.bank_conflicts(same, element_bytes=itemsize, group_size=first.lanes)
        passes.equal(first.passes, said["max_ways"], layout, vector, itemsize)
        found = _ours(layout, vector, itemsize, "global")
        said = analysis.segment_analysis(same, element_bytes=itemsize)
        sectors.equal(found.sectors, said["segments"], layout, vector, itemsize)
    yield passes
    yield sectors


def not_compared() -> str:
    """What is not compared with tensor-layouts, and why."""
    return "tensor-layouts: all phases of a warp, because it counts one group of threads."


def _drawn(rng: random.Random) -> tuple[Layout, int, int]:
    """A layout of 32 lanes in two dimensions, elements of a lane, and bytes of an element."""
    itemsize = rng.choice(tuple(_TYPES))
    vector = rng.choice([v for v in (1, 2, 4, 8) if v * itemsize <= 16])
    inner = rng.choice((2, 4, 8, 16))
    steps = [rng.choice(_STRIDES) * vector for _ in range(2)]
    digits = ((Digit(32 // inner, steps[0]),), (Digit(inner, steps[1]),))
    layout = Layout((32 // inner, inner), "HW", digits)
    if rng.random() < 0.4:
        bits = rng.randint(1, 3)
        base = vector.bit_length() - 1 + rng.randint(0, 2)
        swizzle = Swizzle(bits, base, rng.randint(bits, 5))
        layout = replace(layout, swizzle=swizzle)
    return layout, vector, itemsize


def _ours(layout: Layout, vector: int, itemsize: int, space: Space) -> WarpCost:
    warp = Warp((1, 0), (0, 0), vector=vector, space=space)
    return warp_cost(layout, ELEMENT_TYPES[_TYPES[itemsize]], warp)


def _theirs(layout: Layout, vector: int) -> Any:
    """The same as threads by values: the first mode counts threads, the inner dimension first."""
    (outer,), (inner,) = layout.digits
    threads = (inner.extent, outer.extent), (inner.stride, outer.stride)
    plain = theirs.Layout((threads[0], vector), (threads[1], 1))
    if layout.swizzle is None:
        return plain
    swizzle = layout.swizzle
    return theirs.compose(theirs.Swizzle(swizzle.bits, swizzle.base, swizzle.shift), plain)
