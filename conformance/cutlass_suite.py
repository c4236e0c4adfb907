"""CUTLASS: layout classes, compared with packed(), operator() and capacity() of its headers."""

import itertools
import random
import re
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from app.engine import offsets_of, parse_layout
from app.engine.model.dtypes import DEFAULT
from app.engine.model.layout import Layout
from app.engine.notation import notations
from conformance.cutlass_library import INTERLEAVES, CutlassError, packed
from conformance.report import Comparison, Refused, asked

_SMALL, _LARGE, _REMAINDERS, _WRITTEN = 4000, 4000, 1500, 3000
_INT_MAX = 2**31 - 1
# Our logical dimensions, and the same letters in the order of the class's own coordinates.
_CLASSES = {
    "RowMajor": ("HW", "HW"),
    "ColumnMajor": ("HW", "HW"),
    "RowMajorInterleaved": ("HW", "HW"),
    "ColumnMajorInterleaved": ("HW", "HW"),
    "PackedVectorLayout": ("W", "W"),
    "TensorNCHW": ("NCHW", "NHWC"),
    "TensorNHWC": ("NCHW", "NHWC"),
    "TensorNDHWC": ("NCDHW", "NDHWC"),
    "TensorNCxHWx": ("NCHW", "NHWC"),
    "TensorCxRSKx": ("OIHW", "OHWI"),
}
_BLOCKED = ("RowMajorInterleaved", "ColumnMajorInterleaved", "TensorNCxHWx", "TensorCxRSKx")
_WHOLE = ("TensorNCxHWx", "TensorCxRSKx")
_TEXT = re.compile(r"([A-Za-z]+)(?:<([0-9]+)>)?")
Coordinates = npt.NDArray[np.int64]


def compare(rng: random.Random) -> Iterator[Comparison]:
    """All comparisons with CUTLASS."""
    yield _small(rng)
    yield _large(rng)
    yield _remainders(rng)
    yield _written(rng)


def not_compared() -> str:
    """What is not compared with CUTLASS's headers, and why."""
    return (
        "cutlass: TensorNWC, which has no operator(); the reading of texts, because the C++ "
        "compiler reads a class's name; sizes beyond int32, which its coordinates cannot hold."
    )


def _every(shape: Sequence[int]) -> Coordinates:
    return np.array(list(itertools.product(*map(range, shape))), dtype=np.int64)


def _class(rng: random.Random) -> tuple[str, int, str]:
    """A class, its interleave (1 if it has none), and its text."""
    name = rng.choice(sorted(_CLASSES))
    x = rng.choice(INTERLEAVES) if name in _BLOCKED else 1
    scope = rng.choice(("", "layout::", "cutlass::layout::"))
    return name, x, scope + (f"{name}<{x}>" if name in _BLOCKED else name)


def _live(name: str, x: int, shape: Sequence[int], where: Coordinates) -> tuple[list[int], int]:
    """CUTLASS's offsets of our coordinates, and its capacity."""
    dims, own = _CLASSES[name]
    axes = [dims.index(letter) for letter in own]
    said = packed(name, x, [shape[d] for d in axes], where[:, axes].astype(np.int32))
    return said.offsets, said.capacity


def _ours(text: str, shape: tuple[int, ...], where: Coordinates) -> tuple[list[int], int]:
    layout = parse_layout(text, shape)
    return [int(a) for a in offsets_of(layout, where)], layout.buffer_elements


def _small(rng: random.Random) -> Comparison:
    result = Comparison("cutlass", "classes: every coordinate, capacity")
    for _ in range(_SMALL):
        name, x, text = _class(rng)
        rank = len(_CLASSES[name][0])
        shape = [rng.randint(1, 5 if rank > 2 else 40) for _ in range(rank)]
        if name in _WHOLE:
            shape[1] = x * rng.randint(1, 3)
        where = _every(shape)
        ours = asked(_ours, text, tuple(shape), where)
        result.equal(ours, _live(name, x, shape, where), text, shape)
    return result


def _large(rng: random.Random) -> Comparison:
    result = Comparison("cutlass", "large sizes: the last coordinate, overflows of int32")
    for _ in range(_LARGE):
        name, x, text = _class(rng)
        rank = len(_CLASSES[name][0])
        shape = _sizes_near_int32(rng, rank)
        if name in _WHOLE:
            shape[1] = max(shape[1] // x, 1) * x
        last = np.array([[n - 1 for n in shape]], dtype=np.int64)
        ours = asked(_ours, text, tuple(shape), last)
        live = asked(_live, name, x, shape, last, refusal=CutlassError)
        # The capacity is computed in int32 too, but no offset depends on it.
        result.equal(_offsets(ours), _offsets(live), text, shape)
    return result


def _offsets(said: tuple[list[int], int] | Refused) -> list[int] | Refused:
    return said if isinstance(said, Refused) else said[0]


def _sizes_near_int32(rng: random.Random, rank: int) -> list[int]:
    """Sizes whose product is near 2^31, a little more often below than above; some of 1."""
    bits = rng.uniform(29, 33)
    cuts = sorted(rng.uniform(0, bits) for _ in range(rank - 1))
    shares = [b - a for a, b in itertools.pairwise([0, *cuts, bits])]
    sizes = [min(max(round(2**share), 1), _INT_MAX) for share in shares]
    if rng.random() < 0.3:
        sizes[rng.randrange(rank)] = 1
    return sizes


def _remainders(rng: random.Random) -> Comparison:
    result = Comparison("cutlass", "C with a remainder: refused unless it maps into its buffer")
    while result.cases < _REMAINDERS:
        name, x = rng.choice(_WHOLE), rng.choice(INTERLEAVES)
        shape = tuple(rng.randint(1, 12) if d == 1 else rng.randint(1, 4) for d in range(4))
        where = _every(shape)
        offsets, capacity = _live(name, x, shape, where)
        if len(set(offsets)) == len(offsets) and max(offsets) < capacity:
            continue
        result.equal(asked(parse_layout, f"{name}<{x}>", shape), Refused(), name, x, shape)
    return result


def _written(rng: random.Random) -> Comparison:
    result = Comparison("cutlass", "texts that the engine writes for dense memory")
    while result.cases < _WRITTEN:
        dims = rng.choice(("W", "HW", "NCHW", "NCHW", "OIHW", "NCDHW"))
        layout = _dense(rng, dims)
        text = notations(layout, DEFAULT)["cutlass"].get("text")
        found = _TEXT.fullmatch(text or "")
        if found is None or int(found[2] or 1) not in INTERLEAVES:
            continue
        name, x = found[1], int(found[2] or 1)
        where = _every(layout.shape)
        ours = [int(a) for a in offsets_of(layout, where)], layout.buffer_elements
        result.equal(ours, _live(name, x, layout.shape, where), text, layout)
    return result


def _dense(rng: random.Random, dims: str) -> Layout:
    """Dense memory, mostly in an order of CUTLASS, else in any; perhaps with one inner block."""
    rank = len(dims)
    orders = {"NCHW": ("NCHW", "NHWC", "CHWN"), "OIHW": ("IHWO", "OHWI")}
    letters = rng.choice((*orders.get(dims, ()), "".join(rng.sample(dims, rank))))
    order: list[tuple[int, int | None]] = [(dims.index(c), None) for c in letters]
    block = rng.choice(INTERLEAVES)
    blocked = rng.randrange(rank) if rank == 2 else 1
    shape = [rng.randint(1, 5) for _ in dims]
    if rank in (2, 4) and rng.random() < 0.7:
        order.append((blocked, block))
        shape[blocked] = block * rng.randint(1, 3) if rank == 4 else rng.randint(1, 60)
    return Layout.packed(shape, dims, order)
