"""Wherever source and target begin: every byte right, none beside them written or read."""

from dataclasses import replace
from functools import cache
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import Layout, parse_layout, plan, reorder
from app.engine.reorder import cpu, execute
from app.engine.reorder.moves import moves_of
from tests.engine.reorder.test_backends import ITEM_BYTES, Bytes, noise, slowly
from tests.examples import examples

# Planes of whole lines and of others, rows under a register, blocks with padding, several tiles.
SHAPES: dict[tuple[str, str], list[tuple[int, ...]]] = {
    ("NHWC", "NCHW"): [
        (1, 24, 32, 40),
        (2, 33, 23, 25),
        (3, 70, 3, 3),
        (1, 3, 40, 41),
        (3, 64, 3, 3),
        (2, 34, 9, 10),
    ],
    ("NCHW", "NHWC"): [
        (2, 33, 23, 25),
        (1, 3, 40, 41),
        (3, 64, 3, 3),
        (2, 64, 14, 14),
        (2, 66, 7, 7),
        (3, 80, 5, 7),
    ],
    ("NCHW32", "NCHW"): [(1, 40, 28, 28), (2, 64, 9, 10)],
    ("NCHW", "NCHW32"): [(1, 30, 14, 14), (2, 64, 9, 10)],
    ("NCHW4", "NCHW32"): [(1, 30, 9, 14)],
    ("NCHW", "NCHW4"): [(2, 7, 16, 33), (3, 7, 7, 7), (3, 8, 7, 7)],
    ("NCHW4", "NCHW"): [(2, 8, 16, 48), (3, 8, 7, 7), (3, 8, 15, 15)],
    ("NCHW", "CHWN4"): [(5, 8, 9, 10), (20, 8, 4, 8)],
    ("NCHW4", "NCHW6"): [(2, 50, 5, 9)],
    ("NCHW32", "NHCW"): [(2, 70, 3, 8)],
    ("NCHW", "NCHW8"): [(3, 8, 1, 5)],
    ("HWIO", "OIHW"): [(70, 67, 3, 3), (260, 20, 3, 3)],
    ("OIHW", "HWIO"): [(300, 20, 3, 3)],
    ("OHWI", "OIHW"): [(3, 70, 3, 3), (20, 150, 3, 3)],
    ("OIhw4i16o4i", "oihw"): [(32, 32, 3, 3), (32, 40, 3, 3)],
    ("CHWN4", "NCHW"): [
        (20, 8, 7, 7),
        (40, 8, 5, 6),
        (20, 8, 4, 8),
        (70, 24, 6, 6),
        (70, 24, 8, 8),
    ],
}
PAIRS = [(*names, shape) for names, shapes in SHAPES.items() for shape in shapes]
CANARY = 0xC3
BESIDE = 192


@cache
def example(which: int, size: int) -> tuple[Layout, Layout, Bytes, Bytes]:
    """Layouts, the bytes of the source, and those that the target must have."""
    one, other, shape = PAIRS[which]
    source, target = parse_layout(one, shape), parse_layout(other, shape)
    memory = noise(source.buffer_elements * size, 0, which)
    nothing = np.full(target.buffer_elements * size, CANARY, np.uint8)
    return source, target, memory, slowly(memory, source, target, nothing, size)


def placed(size_bytes: int, at: int) -> tuple[Bytes, slice]:
    """Memory, and the part of it that begins ``at`` bytes after a line."""
    memory = np.full(size_bytes + 3 * BESIDE, CANARY, np.uint8)
    begin = -memory.ctypes.data % 64 + 64 + at
    return memory, slice(begin, begin + size_bytes)


@pytest.mark.parametrize("streamed_bytes", [0, 1 << 40])
@examples(400)
@given(
    which=st.integers(0, len(PAIRS) - 1),
    size=st.sampled_from(ITEM_BYTES),
    came_at=st.integers(0, 63),
    went_at=st.integers(0, 63),
    threads=st.sampled_from([1, 1, 2]),
)
def test_every_alignment_of_source_and_target(
    streamed_bytes: int, which: int, size: int, came_at: int, went_at: int, threads: int
) -> None:
    source, target, memory, expected = example(which, size)
    dtype = np.dtype("c16" if size == 16 else f"u{size}")
    came, read = placed(len(memory), came_at)
    came[read] = memory
    went, written = placed(len(expected), went_at)
    execute._program.cache_clear()
    with mock.patch.object(cpu, "STREAMED_BYTES", streamed_bytes):
        reorder(
            came[read].view(dtype),
            source,
            target,
            out=went[written].view(dtype),
            threads=threads,
            backend="numba",
        )
    assert np.array_equal(went[written], expected)
    went[written] = CANARY
    assert (went == CANARY).all()


@pytest.mark.parametrize("at", [0, 1, 16, 58, 60, 63])
@pytest.mark.parametrize("columns", [1, 2, 40])
@pytest.mark.parametrize(("rows", "pitch"), [(5, 64), (64, 64), (70, 128)])
def test_few_columns_or_rows_at_any_place_of_a_line(
    rows: int, pitch: int, columns: int, at: int
) -> None:
    source = Layout.strided((rows, 40), (40, 1))
    target = Layout.strided((rows, 40), (1, pitch))
    (move,) = moves_of(plan(source, target).boxes, 8)
    along = next(x for x in move.loops if x.source_stride == 1)
    part = replace(along, extent=columns)  # as a piece of the reorder for one thread
    move = replace(move, loops=tuple(part if x is along else x for x in move.loops))
    memory = noise(source.buffer_elements, 0, rows)
    went, written = placed(target.buffer_elements, at)
    expected = went[written].copy()
    for k in range(columns):
        expected[k * pitch :][:rows] = memory[k::40]
    assert cpu.KERNELS.load()
    addresses = cpu.memory_of("numba")(memory, went[written])
    for go in cpu.runners([move], "numba", streamed=True):
        go(*addresses)
    assert np.array_equal(went[written], expected)
    went[written] = CANARY
    assert (went == CANARY).all()


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("dtype", ["u1", "f4", "V3"])
def test_a_fresh_target_begins_at_a_line(backend: str, dtype: str) -> None:
    for shape in ((1, 1, 1, 1), (1, 5, 7, 3), (2, 30, 28, 28)):
        source, target = parse_layout("NCHW", shape), parse_layout("NCHW4", shape)
        memory = np.zeros(source.buffer_elements, dtype)
        got = reorder(memory, source, target, backend=backend)
        assert got.ctypes.data % 64 == 0
        assert len(got) == target.buffer_elements
