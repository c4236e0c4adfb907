"""oneDNN: all tags and aliases, tags of no header, reorders, submemory, permute_axes."""

import math
import random
from collections.abc import Iterator, Sequence

import numpy as np

from app.engine import parse_dtype, parse_layout
from app.engine import reorder as engine_reorder
from app.engine.description.sizes import buffer_sizes
from app.engine.model.layout import Layout
from app.engine.model.views import NeedsCopy
from app.engine.notation.orders import blocking
from app.engine.notation.view_steps import permute, submemory
from conformance.onednn_choices import compare_choices
from conformance.onednn_library import (
    DATA_TYPES,
    Descriptor,
    OneDnnError,
    Said,
    header_tags,
    reorder,
    tag_numbers,
)
from conformance.report import Comparison, Refused, asked

_SHAPES_PER_TAG = 6
_SHAPES_PER_ALIAS = 3
_FREE_TAGS, _REORDERS, _SUBMEMORIES, _PERMUTATIONS = 3000, 600, 6000, 1000
_MOST_ELEMENTS = 1 << 22
_LETTERS = "abcdefghijkl"


def compare(rng: random.Random) -> Iterator[Comparison]:
    """All comparisons with oneDNN."""
    numbers = tag_numbers()
    primary, aliases = header_tags()
    newer = [tag for tag in primary if tag not in numbers]
    yield _tags(rng, numbers, "every primary tag")
    yield _tags(rng, {a: numbers[p] for a, p in aliases.items() if p in numbers}, "every alias")
    yield _unlisted(rng, newer)
    yield _free_tags(rng)
    yield _reorders(rng, numbers)
    yield from _submemories(rng, numbers)
    yield _permutations(rng, numbers)
    yield from compare_choices(rng)


def not_compared() -> str:
    """What is not compared with oneDNN, and why; tags by name."""
    numbers = tag_numbers()
    primary, aliases = header_tags()
    newer = [tag for tag in primary if tag not in numbers]
    lost = sum(p not in numbers for p in aliases.values())
    return (
        f"oneDNN: {len(newer)} of {len(primary)} primary tags, and {lost} of {len(aliases)} "
        "aliases, are only in the header of 3.13 and not compared live as tags; the parser of 3.2 "
        "reads the letters of the primary ones ('tags only 3.13 lists'):\n  "
        + " ".join(newer)
        + "\nonednn: the padded size of a submemory that is less than one block inside the tensor, "
        "which has no padding in oneDNN; digits cannot express that."
    )


def _rank(tag: str) -> int:
    return sum(1 for i, c in enumerate(tag) if c.isalpha() and (not i or not tag[i - 1].isdigit()))


def _shape(rng: random.Random, rank: int, blocks: int, *, empty: float = 0.01) -> tuple[int, ...]:
    """Sizes near those of common blocks, small if there are many dimensions.

    ``empty``: how often a size is 0.
    """
    while True:
        most = 70 if rank <= 3 else 40 if rank <= 5 else 4
        shape = tuple(
            0
            if rng.random() < empty
            else rng.choice((1, 1, 2, 3, 4, 8, 16, 17, rng.randint(1, most)))
            for _ in range(rank)
        )
        if math.prod(shape) * blocks <= _MOST_ELEMENTS:
            return shape


def _engine(tag: str, shape: tuple[int, ...], dtype: str) -> Said | Refused:
    """The fields of oneDNN's descriptor, by the engine."""
    return _said(parse_layout(f"onednn:{tag}", shape, None, dtype), dtype)


def _live(shape: tuple[int, ...], tag: int | str, dtype: str) -> Said:
    return Descriptor.of_tag(shape, tag, dtype).said()


def _said(layout: Layout, dtype: str) -> Said | Refused:
    view = blocking(layout)
    if view is None:
        return Refused("no blocking descriptor")
    size = buffer_sizes(layout, parse_dtype(dtype))[0]["onednn"]
    assert size is not None
    return Said(layout.padded_shape, view.outer_strides, view.inner_blocks, layout.offset, size)


def _tags(rng: random.Random, numbers: dict[str, int], what: str) -> Comparison:
    result = Comparison(
        "onednn", f"{what} ({len(numbers)}) x shapes: padding, strides, blocks, size"
    )
    each = _SHAPES_PER_TAG if what.endswith("tag") else _SHAPES_PER_ALIAS
    for tag, number in numbers.items():
        for _ in range(each):
            shape, dtype = _shape(rng, _rank(tag), 16), rng.choice(list(DATA_TYPES))
            ours = asked(_engine, tag, shape, dtype)
            result.equal(ours, _live(shape, number, dtype), tag, shape, dtype)
    return result


def _of_string(result: Comparison, rng: random.Random, tag: str, blocks: int) -> None:
    # For an empty tensor this parser gives strides of 0; the tags themselves do not.
    shape, dtype = _shape(rng, _rank(tag), blocks, empty=0), rng.choice(list(DATA_TYPES))
    live = asked(_live, shape, tag, dtype, refusal=OneDnnError)
    result.equal(asked(_engine, tag, shape, dtype), live, tag, shape, dtype)


def _unlisted(rng: random.Random, tags: list[str]) -> Comparison:
    result = Comparison("onednn", f"tags only 3.13 lists ({len(tags)}), by 3.2's parser of tags")
    for tag in tags:
        for _ in range(_SHAPES_PER_TAG):
            _of_string(result, rng, tag, 16)
    return result


def free_tag(rng: random.Random) -> str:
    """A random tag of the grammar; most of them are in no header."""
    rank = rng.randint(1, 6)
    order = rng.sample(range(rank), rank)
    blocks = [
        (rng.choice((2, 3, 4, 5, 8, 16)), rng.randrange(rank)) for _ in range(rng.randint(0, 3))
    ]
    blocked = {d for _, d in blocks}
    text = "".join(_LETTERS[d].upper() if d in blocked else _LETTERS[d] for d in order)
    return text + "".join(f"{size}{_LETTERS[d]}" for size, d in blocks)


def _free_tags(rng: random.Random) -> Comparison:
    result = Comparison("onednn", "random tags of the grammar, by 3.2's parser of tags")
    for _ in range(_FREE_TAGS):
        _of_string(result, rng, free_tag(rng), 64)
    return result


def _reorders(rng: random.Random, numbers: dict[str, int]) -> Comparison:
    result = Comparison("onednn", "real reorders: the value at every address, padding zero")
    by_rank: dict[int, list[str]] = {}
    for tag in numbers:
        by_rank.setdefault(_rank(tag), []).append(tag)
    while result.cases < _REORDERS:
        rank = rng.randint(2, 6)
        source, target = (rng.choice(by_rank[rank]) for _ in range(2))
        shape, dtype = _shape(rng, rank, 512), rng.choice(("float32", "int32", "int8"))
        layouts = [parse_layout(f"onednn:{tag}", shape, None, dtype) for tag in (source, target)]
        if max(x.buffer_elements for x in layouts) > 1 << 18:
            continue
        plain = np.arange(1, math.prod(shape) + 1) % 113 + 1
        plain = plain.astype(parse_dtype(dtype).numpy())
        row_major = parse_layout({"strides": _row_major(shape)}, shape, layouts[0].dims, dtype)
        values = engine_reorder(plain, row_major, layouts[0])
        descriptors = [Descriptor.of_tag(shape, numbers[tag], dtype) for tag in (source, target)]
        live = reorder(descriptors[0], descriptors[1], values, 0xEE)
        ours = engine_reorder(values, layouts[0], layouts[1])
        result.equal(ours.tolist(), live.tolist(), source, "->", target, shape, dtype)
    return result


def _row_major(shape: tuple[int, ...]) -> list[int]:
    return [math.prod(shape[d + 1 :]) for d in range(len(shape))]


def _submemories(rng: random.Random, numbers: dict[str, int]) -> tuple[Comparison, Comparison]:
    places = Comparison("onednn", "submemory_desc: refused or not; offset, every address")
    padding = Comparison("onednn", "submemory_desc of whole blocks or to the end: padded sizes")
    tags = list(numbers)
    while places.cases < _SUBMEMORIES:
        tag = rng.choice(tags)
        shape = _shape(rng, _rank(tag), 16)
        layout = parse_layout(f"onednn:{tag}", shape)
        offsets, sizes = zip(*(_part(rng, n, layout, d) for d, n in enumerate(shape)), strict=True)
        parent = Descriptor.of_tag(shape, numbers[tag], "float32")
        live = asked(parent.submemory, sizes, offsets, refusal=OneDnnError)
        ours = submemory(layout, offsets, sizes)
        case = (tag, shape, "offsets", offsets, "sizes", sizes)
        if isinstance(live, Refused) or isinstance(ours, NeedsCopy):
            refused = Refused(ours.reason) if isinstance(ours, NeedsCopy) else "a layout"
            places.equal(refused, live, *case)
            continue
        said, tables = live.said(), [ours.table(d).tolist() for d in range(ours.rank)]
        places.equal((ours.offset, tables), (said.offset, _tables(said, sizes)), *case)
        whole = all(
            start + n == size or n % math.prod(g.extent for g in digits[1:]) == 0
            for start, n, size, digits in zip(offsets, sizes, shape, layout.digits, strict=True)
        )
        if whole:  # digits cannot express the others: part of one block without padding
            padding.equal(ours.padded_shape, said.padded_dims, *case)
    return places, padding


def _part(rng: random.Random, size: int, layout: Layout, d: int) -> tuple[int, int]:
    """Offset and size within ``size``: often at a block, often up to the end, sometimes any."""
    block = math.prod(g.extent for g in layout.digits[d][1:])
    start = rng.choice((0, 0, block * rng.randint(0, size // block), rng.randint(0, size)))
    rest = size - min(start, size)
    length = rng.choice((rest, rest, min(rest, block * rng.randint(1, 3)), rng.randint(0, rest)))
    return min(start, size), length


def _tables(said: Said, sizes: Sequence[int]) -> list[list[int]]:
    """What each index of each dimension adds to the address, by oneDNN's own formula."""
    index = [np.arange(n) for n in sizes]
    tables = [np.zeros(n, dtype=np.int64) for n in sizes]
    inside = 1
    for size, d in reversed(said.inner_blocks):
        tables[d] += index[d] % size * inside
        index[d] = index[d] // size
        inside *= size
    return [(t + i * s).tolist() for t, i, s in zip(tables, index, said.strides, strict=True)]


def _permutations(rng: random.Random, numbers: dict[str, int]) -> Comparison:
    result = Comparison("onednn", "permute_axes of every kind of tag")
    tags = list(numbers)
    for _ in range(_PERMUTATIONS):
        tag = rng.choice(tags)
        rank = _rank(tag)
        shape, axes = _shape(rng, rank, 16), rng.sample(range(rank), rank)
        live = Descriptor.of_tag(shape, numbers[tag], "float32").permuted(axes).said()
        layout = permute(parse_layout(f"onednn:{tag}", shape), [axes.index(d) for d in range(rank)])
        result.equal(_said(layout, "float32"), live, tag, shape, "axes", axes)
    return result
