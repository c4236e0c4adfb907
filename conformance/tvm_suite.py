"""TVM: layout strings, compared with SBijectiveLayout index by index."""

import itertools
import math
import random
import re
import string
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from tvm.s_tir import sbijective_layout
from tvm.tirx import IndexMap

from app.engine import offsets_of, parse_layout
from app.engine.model.dtypes import DEFAULT
from app.engine.model.layout import Layout
from app.engine.notation import notations
from conformance.report import Comparison, asked

_TEXTS, _WRITTEN, _MUTATED, _MAPS = 3000, 1500, 3000, 400
_COORDINATES = 64  # per tensor, the last one included
_AXES = ("NCDHW", "GOIDHW", "NCHW", "OIHW", "NC", "HW", "ABK")
_ALPHABET = "NCHWOIncwoi0124[]"


def compare(rng: random.Random) -> Iterator[Comparison]:
    """All comparisons with TVM."""
    yield _texts(rng)
    yield _mutated(rng)
    yield _written(rng)
    yield _maps(rng)


def not_compared() -> str:
    """What is not compared with TVM 0.27, and why."""
    return (
        "tvm: several splits of one axis (OIHW4i16o4i), which 0.27 refuses and earlier releases "
        "read; brackets of three and more, whose forward_index exceeds the bracket's range. Texts "
        "that 0.27 accepts without an error and the engine refuses: a number at the end (NCHW4) or "
        "at a bracket, zeros in front of a capital, an axis twice (HNCH). "
        "Index maps with a result that is always 0 (c%4//4): map_shape then counts the range of "
        "c%4 by the size, in any other map as 4."
    )


def random_text(rng: random.Random) -> str:
    """Axes in any order, up to three of them split, sometimes two splits in brackets."""
    axes = rng.choice(_AXES)
    items = rng.sample(axes, len(axes))
    splits = [
        f"{rng.choice((1, 2, 3, 4, 8, 16))}{axis.lower()}"
        for axis in rng.sample(axes, rng.randint(0, min(3, len(axes))))
    ]
    if len(splits) >= 2 and rng.random() < 0.4:
        splits[:2] = [f"[{splits[0]}{splits[1]}]"]
    if rng.random() < 0.7:
        return "".join(items + splits)
    items += splits
    rng.shuffle(items)
    return "".join(items)


def _canonical(text: str) -> str:
    axes = re.findall(r"[A-Z]", text)
    known = ("NCDHW", "GOIDHW", string.ascii_uppercase[: len(axes)])
    names = next((c for c in known if set(axes) <= set(c)), "".join(axes))
    return "".join(c for c in names if c in axes)


def _coordinates(rng: random.Random, shape: Sequence[int]) -> list[tuple[int, ...]]:
    every = math.prod(shape)
    if every <= _COORDINATES:
        return list(itertools.product(*map(range, shape)))
    some = [tuple(rng.randrange(n) for n in shape) for _ in range(_COORDINATES - 1)]
    return [*some, tuple(n - 1 for n in shape)]


def _live(text: str, shape: Sequence[int], where: Sequence[tuple[int, ...]]) -> object:
    """The size of memory, and the row-major address of each coordinate."""
    mapping = sbijective_layout(_canonical(text), text)
    memory = [int(n) for n in mapping.forward_shape(list(shape))]
    return math.prod(memory), _row_major(memory, mapping.forward_index, where)


def _row_major(
    memory: Sequence[int],
    index_of: Callable[[list[int]], Iterable[Any]],
    where: Sequence[tuple[int, ...]],
) -> list[int]:
    """The row-major addresses of coordinates, each after it was mapped into memory."""
    addresses = []
    for coordinate in where:
        address = 0
        for n, i in zip(memory, index_of(list(coordinate)), strict=True):
            address = address * n + int(i)
        addresses.append(address)
    return addresses


def _of_layout(layout: Layout, where: Sequence[tuple[int, ...]]) -> object:
    return math.prod(layout.padded_shape), offsets_of(layout, where).tolist()


def _ours(text: str, shape: tuple[int, ...], where: Sequence[tuple[int, ...]]) -> object:
    return _of_layout(parse_layout(f"tvm:{text}", shape), where)


def _shape(rng: random.Random, rank: int) -> tuple[int, ...]:
    return tuple(rng.choice((1, 2, 3, 4, 5, 8, rng.randint(1, 20))) for _ in range(rank))


def _texts(rng: random.Random) -> Comparison:
    result = Comparison("tvm", "random strings: size of memory, forward_index of coordinates")
    for _ in range(_TEXTS):
        text = random_text(rng)
        shape = _shape(rng, len(_canonical(text)))
        where = _coordinates(rng, shape)
        result.equal(_ours(text, shape, where), _live(text, shape, where), text, shape)
    return result


def _mutated(rng: random.Random) -> Comparison:
    result = Comparison("tvm", "mistyped strings: refused by both, or read alike")
    while result.cases < _MUTATED:
        text = list(random_text(rng))
        for _ in range(rng.randint(1, 2)):
            at = rng.randrange(len(text) + 1)
            text[at : at + rng.randint(0, 1)] = [rng.choice(_ALPHABET)] * rng.randint(0, 1)
        typed = "".join(text)
        splits = re.findall(r"[0-9][a-z]", typed)
        letters = [s[-1] for s in splits]
        if not typed or typed[-1].isdigit() or len(set(letters)) < len(letters):
            continue
        capitals = re.findall(r"[A-Z]", typed)
        if len(set(capitals)) < len(capitals):
            continue
        if re.search(r"\[(?:\d+[a-z]){3,}\]|\d[\[\]]|(?<!\d)0+[A-Z]", typed):
            continue
        shape = _shape(rng, len(_canonical(typed)))
        where = _coordinates(rng, shape)
        live = asked(_live, typed, shape, where, refusal=Exception)
        result.equal(asked(_ours, typed, shape, where), live, typed, shape)
    return result


def _written(rng: random.Random) -> Comparison:
    result = Comparison("tvm", "texts that the engine writes, read by TVM")
    while result.cases < _WRITTEN:
        rank = rng.randint(1, 5)
        shape = _shape(rng, rank)
        dims = ("W", "HW", "CHW", "NCHW", "NCDHW")[rank - 1]
        order: list[tuple[int, int | None]] = [(d, None) for d in rng.sample(range(rank), rank)]
        for d in rng.sample(range(rank), rng.randint(0, min(2, rank))):
            order.insert(rng.randint(0, len(order)), (d, rng.choice((2, 3, 4))))
        order.sort(key=lambda place: place[1] is not None)
        layout = Layout.packed(shape, dims, order)
        text = notations(layout, DEFAULT)["tvm"].get("text")
        if text is None:
            continue
        where = _coordinates(rng, shape)
        live = asked(_live, text, shape, where, refusal=Exception)
        result.equal(_of_layout(layout, where), live, text, shape)
    return result


def _maps(rng: random.Random) -> Comparison:
    result = Comparison("tvm", "index maps: map_shape and map_indices of coordinates")
    for _ in range(_MAPS):
        rank = rng.randint(1, 4)
        names = [f"d{d}" for d in range(rank)]
        parts: list[tuple[str, ...]] = []
        for name in names:
            block, inner = rng.choice((2, 4, 8, 16)), rng.choice((2, 4))
            parts.append(
                rng.choice(
                    [
                        (name,),
                        (f"{name} // {block}", f"{name} % {block}"),
                        (
                            f"{name}//{block * inner}",
                            f"{name}%{block * inner}//{block}",
                            f"{name}%{block}",
                        ),
                    ]
                )
            )
        results = [result for each in parts for result in each]
        rng.shuffle(results)
        text = f"lambda {', '.join(names)}: ({', '.join(results)},)"
        mapping = IndexMap.from_func(eval(text), ndim=rank)  # noqa: S307  # made here
        shape = _shape(rng, rank)
        where = _coordinates(rng, shape)
        memory = [int(n) for n in mapping.map_shape(list(shape))]
        addresses = _row_major(memory, mapping.map_indices, where)
        ours = offsets_of(parse_layout(text, shape), where).tolist()
        result.equal(ours, addresses, text, shape)
    return result
