"""CuTe: nested layouts and swizzles, compared with pycute at every coordinate."""

import ast
import itertools
import math
import random
from collections.abc import Iterator

import pycute

from app.engine import parse_layout
from app.engine.model.address import offset_map
from app.engine.model.dtypes import DEFAULT
from app.engine.model.layout import Digit, Layout, default_dims
from app.engine.notation import notations
from conformance.report import Comparison, asked

_NESTED, _COMPACT, _SWIZZLED, _WRITTEN = 4000, 1000, 2000, 2000
_MOST_ELEMENTS = 600
Nest = int | tuple["Nest", ...]


def compare(rng: random.Random) -> Iterator[Comparison]:
    """All comparisons with pycute."""
    yield _nested(rng)
    yield _compact(rng)
    yield _swizzled(rng)
    yield _written(rng)


def not_compared() -> str:
    """What is not compared with pycute, and why."""
    return (
        "cute: texts as C++ prints them (_4:_1, smem_ptr[16b] o ...), because Python cannot call "
        "the C++ library's printing; Swizzle<0,M,0>, for which pycute's recursion never ends."
    )


def _nest(rng: random.Random, depth: int) -> Nest:
    if depth == 0 or rng.random() < 0.5:
        return rng.choice((1, 2, 2, 3, 4, 5))
    return tuple(_nest(rng, depth - 1) for _ in range(rng.randint(1, 3)))


def _strides(rng: random.Random, sizes: Nest) -> Nest:
    if isinstance(sizes, int):
        return rng.choice((0, 1, 1, 2, 3, 4, 6, 8, 12, 16, 24, 100))
    return tuple(_strides(rng, size) for size in sizes)


def _sizes(rng: random.Random) -> tuple[Nest, tuple[int, ...]]:
    """Nested sizes, and the size of each outermost mode."""
    while True:
        sizes = _nest(rng, 3)
        modes = (sizes,) if isinstance(sizes, int) else sizes
        shape = tuple(pycute.product(mode) for mode in modes)
        if math.prod(shape) <= _MOST_ELEMENTS:
            return sizes, shape


def _indices(layout: object, shape: tuple[int, ...]) -> list[int]:
    """pycute's index of every coordinate of the outermost modes, the last mode fastest."""
    assert callable(layout)
    return [int(layout(*c)) for c in itertools.product(*map(range, shape))]


def _addresses(text: str, shape: tuple[int, ...]) -> list[int]:
    return [int(a) for a in offset_map(parse_layout(f"cute:{text}", shape)).ravel()]


def _nested(rng: random.Random) -> Comparison:
    result = Comparison("cute", "nested shape:stride: every coordinate, cosize, own shape")
    for _ in range(_NESTED):
        sizes, shape = _sizes(rng)
        live = pycute.Layout(sizes, _strides(rng, sizes))
        text = str(live)
        ours = asked(_addresses, text, shape)
        cosize = parse_layout(f"cute:{text}", shape).buffer_elements
        result.equal((ours, cosize), (_indices(live, shape), pycute.cosize(live)), text)
    return result


def _compact(rng: random.Random) -> Comparison:
    result = Comparison("cute", "a shape alone: compact strides, colexicographic")
    for _ in range(_COMPACT):
        sizes, shape = _sizes(rng)
        ours = asked(_addresses, str(sizes), shape)
        result.equal(ours, _indices(pycute.Layout(sizes), shape), sizes)
    return result


def _swizzled(rng: random.Random) -> Comparison:
    result = Comparison("cute", "Swizzle<B,M,S> o offset o layout: every coordinate")
    for _ in range(_SWIZZLED):
        bits, base = rng.randint(0, 4), rng.randint(0, 5)
        shift = rng.choice((-1, 1)) * rng.randint(max(bits, 1), 5)
        sizes, shape = _sizes(rng)
        inner = pycute.Layout(sizes, _strides(rng, sizes))
        offset = rng.choice((0, 0, 3, 64))
        live = pycute.ComposedLayout(pycute.Swizzle(bits, base, shift), offset, inner)
        text = f"Swizzle<{bits},{base},{shift}> o {offset} o {inner}"
        result.equal(asked(_addresses, text, shape), _indices(live, shape), text)
    return result


def _written(rng: random.Random) -> Comparison:
    result = Comparison("cute", "texts that the engine writes, read by pycute")
    while result.cases < _WRITTEN:
        digits = tuple(
            tuple(
                Digit(rng.choice((1, 2, 3, 4)), rng.choice((0, 1, 2, 3, 8, 12, 64)))
                for _ in range(rng.randint(1, 3))
            )
            for _ in range(rng.randint(1, 4))
        )
        shape = tuple(math.prod(g.extent for g in mine) for mine in digits)
        if math.prod(shape) > _MOST_ELEMENTS:
            continue
        layout = Layout(shape, default_dims(len(shape)), digits)
        text = notations(layout, DEFAULT)["cute"]["text"]
        sizes, strides = (ast.literal_eval(part) for part in text.split(":"))
        live = pycute.Layout(sizes, strides)
        result.equal([int(a) for a in offset_map(layout).ravel()], _indices(live, shape), text)
    return result
