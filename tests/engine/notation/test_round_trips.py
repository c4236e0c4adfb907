"""What any dialect writes, it reads back: over 10,000 texts, each compared address by address."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np

from app.engine import Layout, offset_map, parse_dtype, parse_layout
from app.engine.layout import Swizzle
from app.engine.notation import DIALECTS, notations

LAYOUTS = 2_500
BLOCKS = [2, 3, 4, 8, 16, 32]


def random_layout(r: random.Random) -> Layout:
    """Blocked, padded, permuted, strided, offset, flipped, broadcast or swizzled."""
    names = r.choice(["W", "HW", "CHW", "NCHW", "NCHW", "NCHW", "NCDHW", "OIHW", "GOIHW", "ab"])
    shape = tuple(r.choice([1, 2, 3, 4, 5, 8, 12, 16]) for _ in names)
    rank = len(names)
    if r.random() < 0.6:
        order: list[tuple[int, int | None]] = [(d, None) for d in r.sample(range(rank), rank)]
        order += [
            (r.randrange(rank), r.choice(BLOCKS)) for _ in range(r.choice([0, 0, 1, 1, 2, 3]))
        ]
        return Layout.packed(shape, names, order)
    steps = [r.choice([0, 1, 1, 2, 3, 5]) * r.choice([1, 1, 1, -1]) for _ in names]
    scale, strides = 1, [0] * rank
    for d in r.sample(range(rank), rank):
        strides[d] = steps[d] * scale
        scale *= shape[d]
    lowest = sum(min(0, (n - 1) * s) for n, s in zip(shape, strides, strict=True))
    swizzle = (
        Swizzle(r.randint(0, 2), r.randint(0, 3), r.choice([2, 3, -2]))
        if r.random() < 0.2
        else None
    )
    plain = Layout.strided(shape, strides, r.choice([0, 0, 7]) - lowest, dims=names)
    return Layout(plain.shape, plain.dims, plain.digits, plain.offset, swizzle)


def test_every_dialect_reads_what_it_writes() -> None:
    r = random.Random(3)  # noqa: S311 - examples, not secrets
    written: Counter[str] = Counter()
    for _ in range(LAYOUTS):
        layout = random_layout(r)
        dtype = parse_dtype(r.choice(["float32", "int8", "float16"]))
        addresses = offset_map(layout)
        for system, words in notations(layout, dtype).items():
            if "text" not in words:
                continue
            text = f"{system}:{words['text']}"
            again = parse_layout(text, layout.shape, layout.dims, dtype)
            assert np.array_equal(offset_map(again), addresses), (text, layout)
            assert again.buffer_elements == layout.buffer_elements, (text, layout)
            written[system] += 1
    assert sum(written.values()) >= 10_000
    assert set(written) == {d.system for d in DIALECTS}
    assert min(written.values()) >= 20, written
