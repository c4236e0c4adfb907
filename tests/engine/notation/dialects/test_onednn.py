"""Tags beyond the golden ones: 10,000 from the grammar against padding, splitting, transposing."""

import math
import random

import numpy as np
import pytest

from app.engine import offset_map
from app.engine.model.dtypes import DEFAULT
from app.engine.notation import Request, read_layout
from app.engine.notation.dialects import onednn
from tests.examples import fewer

LETTERS = "abcdefghijkl"
TAGS = fewer(10_000)


def random_tag(
    random_: random.Random,
) -> tuple[str, tuple[int, ...], list[int], list[tuple[int, int]]]:
    """A tag, a shape, the outer order and the inner blocks (dimension, size)."""
    rank = random_.choice([1, 2, 3, 4, 4, 5, 5, 6, 8, 12])
    order = random_.sample(range(rank), rank)
    blocks = [
        (random_.randrange(rank), random_.choice([2, 3, 4, 8, 16]))
        for _ in range(random_.choice([0, 0, 1, 1, 2, 3]))
    ]
    blocked = {d for d, _ in blocks}
    most = 9 if rank < 5 else 3 if rank < 8 else 2
    shape = tuple(random_.randint(1, most) for _ in range(rank))
    text = "".join(LETTERS[d].upper() if d in blocked else LETTERS[d] for d in order)
    text += "".join(f"{x}{LETTERS[d]}" for d, x in blocks)
    return text, shape, order, blocks


def memory_of(
    shape: tuple[int, ...], order: list[int], blocks: list[tuple[int, int]]
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The buffer of values 1, 2, 3… in logical row-major order, padding zero: by NumPy alone."""
    whole = [math.prod(x for k, x in blocks if k == d) for d in range(len(shape))]
    values = np.zeros([-(-n // w) * w for n, w in zip(shape, whole, strict=True)], dtype=np.int64)
    inside = tuple(map(slice, shape))
    values[inside] = np.arange(1, math.prod(shape) + 1).reshape(shape)
    split: list[int] = []
    axis_of: dict[tuple[int, int], int] = {}
    for d in range(len(shape)):
        mine = [x for k, x in blocks if k == d]
        axis_of[d, -1] = len(split)
        split.append(values.shape[d] // whole[d])
        for i, x in enumerate(mine):
            axis_of[d, i] = len(split)
            split.append(x)
    seen = [0] * len(shape)
    axes = [axis_of[d, -1] for d in order]
    for d, _ in blocks:
        axes.append(axis_of[d, seen[d]])
        seen[d] += 1
    return values.reshape(split).transpose(axes).ravel()


def test_random_tags_of_the_grammar() -> None:
    random_ = random.Random(20261121)  # noqa: S311 - examples, not secrets
    for _ in range(TAGS):
        text, shape, order, blocks = random_tag(random_)
        written = read_layout(text, Request(shape))
        layout = written.layout
        memory = memory_of(shape, order, blocks)
        assert layout.buffer_elements == memory.size, (text, shape)
        found = memory[offset_map(layout)].ravel()
        assert (found == np.arange(1, layout.elements + 1)).all(), (text, shape)
        assert onednn.DIALECT.write(layout, DEFAULT, written.order) == text


@pytest.mark.parametrize(
    ("tag", "rank"), [("nChw16c", 4), ("acdb", 4), ("gOhwI24o", 5), ("OIhw4i16o4i", 4)]
)
@pytest.mark.parametrize("name", ["dnnl_{}", "format_tag::{}", "dnnl::memory::format_tag::{}"])
def test_the_names_of_c_and_cpp_are_the_tag(tag: str, rank: int, name: str) -> None:
    request = Request((2,) * rank)
    assert read_layout(name.format(tag), request) == read_layout(tag, request)
