"""NumPy: byte strides, orders, array interface, index expressions, and copies of real arrays."""

import math
import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from app.engine import index_expression, parse_layout, reorder
from app.engine.description.properties import properties
from app.engine.model.dtypes import ELEMENT_TYPES
from app.engine.model.layout import Layout, default_dims
from app.engine.notation import notations
from app.engine.notation.dialects import numpy_
from conformance.report import Comparison, Refused, asked

_STRIDES, _INTERFACES, _ORDERS, _INDICES, _COPIES = 4000, 2000, 2000, 6000, 1500
_TYPES = [t for t in ELEMENT_TYPES.values() if t.itemsize]
_SIZES = (0, 1, 1, 2, 3, 4, 5, 7)

Array = npt.NDArray[Any]


def compare(rng: random.Random) -> Iterator[Comparison]:
    """All comparisons with NumPy."""
    yield _strides(rng)
    yield _interfaces(rng)
    yield _orders(rng)
    yield _indices(rng)
    yield _copies(rng)


def not_compared() -> str:
    """What is not compared with NumPy, and why."""
    return "numpy: types of 4 bits, because an element fills a whole byte there."


def _shape(rng: random.Random, most_rank: int = 5, *, empty: bool = True) -> tuple[int, ...]:
    sizes = _SIZES if empty and rng.random() < 0.2 else _SIZES[1:]
    return tuple(rng.choice(sizes) for _ in range(rng.randint(0, most_rank)))


def _view(rng: random.Random, base: Array) -> Array:
    """A view of ``base``: transposed, sliced, flipped, broadcast."""
    x = base.transpose(rng.sample(range(base.ndim), base.ndim))
    for d in range(x.ndim):
        step = rng.choice((1, 1, 1, 2, -1, -2, 3))
        x = x[(slice(None),) * d + (slice(None, None, step),)]
    if rng.random() < 0.2:
        x = np.broadcast_to(x, (rng.randint(1, 3), *x.shape))
    return x


def _offset_bytes(x: Array, base: Array) -> int:
    start = x.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    return int(start)


def _strides(rng: random.Random) -> Comparison:
    result = Comparison("numpy", "byte strides, offset, C_CONTIGUOUS of real views")
    while result.cases < _STRIDES:
        element = rng.choice(_TYPES)
        base = np.zeros(_shape(rng), dtype=element.numpy())
        x = _view(rng, base)
        offset = _offset_bytes(x, base)
        text = f"numpy:{x.strides}+{offset}" if x.ndim else f"numpy:()+{offset}"
        layout = asked(parse_layout, text, x.shape, None, element)
        if isinstance(layout, Refused):
            result.equal(layout, "a layout", text, x.shape, element.name)
            continue
        written = notations(layout, element)["numpy"].get("text", "")
        again = parse_layout(f"numpy:{written}", x.shape, None, element)
        size = element.itemsize or 0
        ours = (
            tuple(s * size for s in again.strides or ()),
            again.offset * size,
            properties(layout).contiguous,
        )
        result.equal(ours, (x.strides, offset, x.flags.c_contiguous), text, x.shape)
    return result


def _interfaces(rng: random.Random) -> Comparison:
    result = Comparison("numpy", "__array_interface__ of real views: sizes, type, strides, offset")
    native = [t for t in _TYPES if t.numpy().isbuiltin == 1]  # it has no names for ml_dtypes
    for _ in range(_INTERFACES):
        element = rng.choice(native)
        base = np.zeros(_shape(rng), dtype=element.numpy())
        x = _view(rng, base)
        interface = {k: v for k, v in x.__array_interface__.items() if k != "descr"}
        interface["offset"] = _offset_bytes(x, base)
        text = f"{interface}"
        layout = asked(parse_layout, text, x.shape, None, element)
        ours = layout
        if isinstance(layout, Layout):
            steps = _moving(layout.strides or (), x.shape)
            said = numpy_.read(text)
            own = said.shape, said.dtype
            ours = (*own, [s * x.itemsize for s in steps], layout.offset * x.itemsize)
        live = (x.shape, x.dtype.name, _moving(x.strides, x.shape), interface["offset"])
        result.equal(ours, live, text)
    return result


def _moving(strides: Sequence[int], shape: Sequence[int]) -> list[int]:
    """Strides of sizes over 1; none for an empty array, for which the interface has no strides."""
    return [s for s, n in zip(strides, shape, strict=True) if n > 1 and 0 not in shape]


def _orders(rng: random.Random) -> Comparison:
    result = Comparison("numpy", "orders C and F: strides of a fresh array")
    for _ in range(_ORDERS):
        shape, order = _shape(rng), rng.choice(("C", "F"))
        fresh = np.empty(shape, np.float32, "C" if order == "C" else "F")
        layout = parse_layout(f"numpy:{order}", shape)
        result.equal(tuple(s * 4 for s in layout.strides or ()), fresh.strides, order, shape)
    return result


def _part(rng: random.Random, size: int) -> str:
    def bound() -> str:
        return rng.choice(("", "", str(rng.randint(-size - 2, size + 2))))

    kind = rng.random()
    if kind < 0.35:
        return str(rng.randint(-size - 1, size))
    if kind < 0.7:
        return f"{bound()}:{bound()}"
    return f"{bound()}:{bound()}:{rng.choice((1, 2, 3, -1, -2, -3, 0))}"


def _indices(rng: random.Random) -> Comparison:
    result = Comparison("numpy", "index expressions: sizes, elements, strides and offset")
    for _ in range(_INDICES):
        base = np.arange(math.prod(shape := _shape(rng, 4)), dtype=np.int32).reshape(shape)
        x = _view(rng, base)
        layout = parse_layout(f"numpy:{x.strides}+{_offset_bytes(x, base)}", x.shape, None, "int32")
        items = [_part(rng, n) for n in x.shape[: rng.randint(0, x.ndim)]]
        for extra in ("...", "None", "None", "0"):
            if rng.random() < 0.15:
                items.insert(rng.randint(0, len(items)), extra)
        text = ", ".join(items)
        result.equal(asked(_ours, layout, text), _live(x, text), x.shape, x.strides, text)
    return result


def _ours(layout: Layout, text: str) -> object:
    found = index_expression(layout, text)
    view = found.view()
    assert view is not None
    elements = found.offsets().ravel().tolist()
    steps = [s * 4 for s in _moving(view.strides or (), view.shape)]
    return found.shape, elements, steps if elements else None


def _live(x: Array, text: str) -> object:
    """The same in NumPy. The base of ``x`` has the values 0, 1, 2…: each element is its address."""
    found = asked(x.__getitem__, _index(text), refusal=(IndexError, ValueError))
    if isinstance(found, Refused):
        return found
    found = np.asarray(found)
    elements = found.ravel().tolist()
    # For a single element NumPy returns a copy, which has no strides to compare.
    return found.shape, elements, _moving(found.strides, found.shape) if elements else None


def _index(text: str) -> tuple[object, ...]:
    items: list[object] = []
    for item in filter(None, text.split(", ")):
        if item in {"...", "None"}:
            items.append(... if item == "..." else None)
        elif ":" in item:
            items.append(slice(*(int(part) if part else None for part in item.split(":"))))
        else:
            items.append(int(item))
    return tuple(items)


def _copies(rng: random.Random) -> Comparison:
    result = Comparison("numpy", "reorders into blocks: the same buffer as by pad and transpose")
    for _ in range(_COPIES):
        rank = rng.randint(1, 4)
        shape = tuple(rng.choice((1, 2, 3, 5, 8, 9)) for _ in range(rank))
        order: list[tuple[int, int | None]] = [(d, None) for d in rng.sample(range(rank), rank)]
        order += [(rng.randrange(rank), rng.choice((2, 3, 4))) for _ in range(rng.randint(0, 3))]
        target = Layout.packed(shape, default_dims(rank), order)
        element = rng.choice([t for t in _TYPES if t.kind != "bool"])
        base = (np.arange(math.prod(shape)) % 100 + 1).astype(element.numpy()).reshape(shape)
        axes = rng.sample(range(rank), rank)
        x = np.ascontiguousarray(base.transpose(axes)).transpose(np.argsort(axes))
        source = parse_layout(f"numpy:{x.strides}", shape, None, element)
        ours = reorder(x.ravel("K"), source, target)
        result.equal(ours.tolist(), _blocked(x, order).tolist(), shape, x.strides, order)
    return result


def _blocked(x: Array, order: list[tuple[int, int | None]]) -> Array:
    """The buffer by np.pad, a reshape into all digits, and a transpose into their order."""
    blocks = [[n for e, n in order if e == d and n] for d in range(x.ndim)]
    pads = [(0, -size % math.prod(b)) for size, b in zip(x.shape, blocks, strict=True)]
    padded = np.pad(x, pads)
    split: list[int] = []
    places: dict[tuple[int, int], int] = {}
    for d, (size, mine) in enumerate(zip(padded.shape, blocks, strict=True)):
        for k, extent in enumerate([size // math.prod(mine), *mine]):
            places[d, k] = len(split)
            split.append(extent)
    seen = [0] * x.ndim
    axes = []
    for d, n in order:
        seen[d] += n is not None
        axes.append(places[d, seen[d] if n else 0])
    return padded.reshape(split).transpose(axes).ravel()
