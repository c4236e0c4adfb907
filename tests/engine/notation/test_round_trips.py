"""What any dialect writes, it reads back: over 10,000 texts, each compared address by address."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from app.engine import Layout, offset_map, parse_dtype, parse_layout
from app.engine.notation import DIALECTS, notations
from tests.engine.strategies import REGISTER_BLOCKS, Choice, Nest, Seeded, nested, packed, swizzle

LAYOUTS = 2_500
NAMES = ("W", "HW", "CHW", "NCHW", "NCHW", "NCHW", "NCDHW", "OIHW", "GOIHW", "ab")
SIZES = (1, 2, 3, 4, 5, 8, 12, 16)
STRIDED = Nest(multiples=(0, 1, 1, 2, 3, 5), signs=(1, 1, 1, -1), offsets=(0, 0, 7))


def named_layout(choice: Choice) -> Layout:
    """Blocked, padded, permuted, strided, offset, flipped, broadcast or swizzled."""
    dims = choice.of(NAMES)
    shape = tuple(choice.of(SIZES) for _ in dims)
    if choice.of((1, 1, 1, 0, 0)):
        return packed(choice, shape, dims=dims, blocks=REGISTER_BLOCKS)
    layout = nested(choice, [[n] for n in shape], STRIDED, dims=dims)
    if choice.of((1, 0, 0, 0, 0)):
        return replace(layout, swizzle=swizzle(choice, bits=2, base=3, shift=3))
    return layout


def test_every_dialect_reads_what_it_writes() -> None:
    choice = Seeded(3)
    written: Counter[str] = Counter()
    for _ in range(LAYOUTS):
        layout = named_layout(choice)
        dtype = parse_dtype(choice.of(("float32", "int8", "float16")))
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
